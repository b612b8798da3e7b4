/**
 * How a held phase ends by a person's word: promoted, skipped, or to be begun anew by its pipeline.
 *
 * Does not cover a release, after which it goes on (hold.ts).
 */
import type { PhaseEnd } from '../contract.ts';
import type { HeldPhase } from '../hold.ts';
import { activities } from '../jobs.ts';
import { EndedByPerson } from './phase-steering.ts';
import type { HoldEnding } from './messages.ts';

/** Its pipeline begins it anew. */
export interface PhaseAgain {
  readonly again: true;
}

/** The answer of `act`, or how a person ended the phase while it was held. */
export async function orEndByPerson<T>(phase: HeldPhase, act: () => Promise<T>): Promise<T | PhaseEnd | PhaseAgain> {
  let next: () => Promise<T | PhaseEnd | PhaseAgain> = act;
  for (;;) {
    try {
      return await next();
    } catch (error) {
      if (!(error instanceof EndedByPerson)) throw error;
      next = () => endAs(phase, error.ending);
    }
  }
}

async function endAs(phase: HeldPhase, ending: HoldEnding): Promise<PhaseEnd | PhaseAgain> {
  phase.board.stands('running', ending.sentence);
  await phase.steering.stopAll();
  const { kind, sentence } = ending;
  const { start } = phase.context;
  if (kind === 'promote') return await promote(phase, ending);
  if (kind === 'again' || start === null) return { again: true };
  await phase.orHold(() =>
    activities('skip it').closePhase({
      context: phase.context,
      state: 'skipped',
      because: sentence,
      checkpoint: start,
    }),
  );
  return phase.board.endedWith(start, { state: 'skipped', because: sentence });
}

async function promote(
  phase: HeldPhase,
  { checkpoint, sentence, steering }: Extract<HoldEnding, { kind: 'promote' }>,
): Promise<PhaseEnd> {
  const sealed = await phase.orHold(() =>
    activities(`promote checkpoint ${String(checkpoint.step)}`).promote({
      context: phase.context,
      checkpoint,
      because: sentence,
      score: null,
      ...(steering !== undefined && { steering }),
    }),
  );
  return phase.board.completed(sealed, { sentence, score: null });
}
