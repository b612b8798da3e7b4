/**
 * What a person did to a pipeline, in words: for its page, `temper explain` and the ledger.
 *
 * Does not cover releases (sentences.ts) or why a message is refused (steering.ts).
 */

/** Who, and why. */
export interface SteeredBy {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

/** What was asked, as the ledger keeps it. */
export interface SteeringRequest {
  readonly message: 'hold';
}

const deeds: Readonly<Record<SteeringRequest['message'], string>> = { hold: 'asked to hold it' };

/** For example `ann asked to hold it: the node is needed`; without a full stop. */
export function sentenceOfSteering(request: SteeringRequest, { by = 'a person', reason }: SteeredBy): string {
  return `${by} ${deeds[request.message]}${reason === undefined ? '' : `: ${reason}`}`;
}
