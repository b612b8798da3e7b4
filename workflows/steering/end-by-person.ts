/**
 * How a held phase ends by a person's word: skipped, or to be begun anew by its pipeline.
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

async function endAs(phase: HeldPhase, { kind, sentence }: HoldEnding): Promise<PhaseEnd | PhaseAgain> {
  await phase.steering.stopAll();
  const { start } = phase.context;
  if (kind === 'again' || start === null) {
    phase.board.stands('running', sentence);
    return { again: true };
  }
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
