/** The key in the ledger of what a person asked of a phase. Does not cover what it was (steering.ts). */

/** `id` names the message. */
export function steeringKey({ runId, phase, id }: Readonly<Record<'runId' | 'phase' | 'id', string>>): string {
  return `${runId}/${phase}/steering/${id}`;
}
