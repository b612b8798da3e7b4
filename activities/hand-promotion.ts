/** Whether a phase ended by a person's promotion, and whose. Does not cover what is said of it (decisions/hand-promotion.ts). */
import { type HandPromotion, sentenceOfHandPromotion } from '../decisions/hand-promotion.ts';
import type { SteeredBy, SteeringRequest } from '../decisions/steering-sentences.ts';
import type { Ledger } from '../store/ledger/ledger.ts';

/** Null where it ended otherwise, or has not. */
export async function handPromotionOf(
  ledger: Ledger,
  of: { readonly runId: string; readonly phase: string },
): Promise<HandPromotion | null> {
  const record = (await ledger.phasesOf(of.runId)).find(({ phase }) => phase === of.phase);
  if (record?.state !== 'completed') return null;
  const { sentence } = (record.because ?? {}) as { sentence?: string };
  const asked = (await ledger.decisionsOf(of)).flatMap(({ question, answer, evidence }): HandPromotion[] => {
    const request = question === 'steering' ? (answer as SteeringRequest) : null;
    return request?.message === 'promote' ? [{ checkpoint: request.checkpoint, by: evidence as SteeredBy }] : [];
  });
  // Of what was asked and could not be done, the phase says something else.
  return asked.findLast((one) => sentenceOfHandPromotion(one) === sentence) ?? null;
}
