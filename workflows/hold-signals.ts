/**
 * What a held phase waits for: a person's release, or a score from outside.
 *
 * Covers the two signals and the wait. Does not cover what is held and why (hold.ts), or the page (phase-board.ts).
 */
import { condition } from '@temporalio/workflow';
import { sentenceOfRelease } from '../decisions/sentences.ts';
import type { ReleaseInput } from './contract.ts';
import { type Hearing, hearing } from './hear-in-order.ts';
import { releaseSignal, scoreSignal } from './messages.ts';

export interface HoldWait {
  readonly hours: number;
  /** Left out: no score ends it. */
  readonly scoresHeard?: number | undefined;
}

export interface HoldSignals {
  /** What it listens to. `isOver` is told that a hold ended which is none now. */
  readonly hears: (isOver: () => void) => readonly Hearing[];
  /** Scores from outside that were heard of. */
  scoresHeard(): number;
  /** What the person said who released it; `score` when more than `scoresHeard` were heard of; null when nobody did in time. */
  wait(how: HoldWait): Promise<ReleaseInput | 'score' | null>;
}

/** A release that comes while nothing is held ends no later hold. `goOn` ends the hold. */
export function holdSignals(isHeld: () => boolean, goOn: (because: string) => void): HoldSignals {
  let answer: ReleaseInput | 'score' = {};
  let scores = 0;
  let enough: number | undefined;

  function release(message?: ReleaseInput): void {
    answer = message ?? {};
    goOn(sentenceOfRelease(answer));
  }

  function score(): void {
    scores += 1;
    if (!isHeld() || enough === undefined || scores <= enough) return;
    answer = 'score';
    goOn('what is known from outside has changed: the gate judges again');
  }

  return {
    hears: (isOver) => [
      hearing(releaseSignal, (message) => {
        if (isHeld()) release(message);
        else isOver();
      }),
      hearing(scoreSignal, score),
    ],
    scoresHeard: () => scores,
    async wait({ hours, scoresHeard }) {
      enough = scoresHeard;
      const isOver = await condition(() => !isHeld(), hours * 3_600_000, { summary: 'held for a person' });
      return isOver ? answer : null;
    },
  };
}
