/** Whether a phase ended by a person's promotion, and whose. Does not cover what is said of it (decisions/hand-promotion.ts). */
import { type HandPromotion, sentenceOfHandPromotion } from '../decisions/hand-promotion.ts';
import { steeringKey } from './steering-key.ts';
import type { SteeredBy, SteeringRequest } from '../decisions/steering-sentences.ts';
import type { Ledger } from '../store/ledger/ledger.ts';

/** Null where it ended otherwise, or has not. */
export async function handPromotionOf(
  ledger: Ledger,
  of: { readonly runId: string; readonly phase: string },
): Promise<HandPromotion | null> {
  const record = (await ledger.phasesOf(of.runId)).find(({ phase }) => phase === of.phase);
  if (record?.state !== 'completed') return null;
  const { sentence, steering } = (record.because ?? {}) as { sentence?: string; steering?: string };
  const asked = (await ledger.decisionsOf(of)).flatMap(({ key, question, answer, evidence }) => {
    const request = question === 'steering' ? (answer as SteeringRequest) : null;
    return request?.message === 'promote'
      ? [{ key, promotion: { checkpoint: request.checkpoint, by: evidence as SteeredBy } }]
      : [];
  });
  // Of what was asked and could not be done, the phase says something else.
  const done =
    steering === undefined
      ? // Its row is of a version that kept the sentence alone.
        asked.findLast(({ promotion }) => sentenceOfHandPromotion(promotion) === sentence)
      : asked.find(({ key }) => key === steeringKey({ ...of, id: steering }));
  return done?.promotion ?? null;
}
