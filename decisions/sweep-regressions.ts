/**
 * What became worse since the last sweep: of each subject the checkpoint of now against the one of then, paired over the same problems,
 * as the gate compares. A difference inside the noise is none.
 *
 * Both scores are of the ledger as it is now: an evaluation that came later counts for both. Does not cover what is evaluated (sweep-due.ts).
 */
import { compareWithBest } from './comparison-with-best.ts';
import type { Evaluation } from './evaluation.ts';
import { scoreOf, wholeOf } from './scores.ts';
import type { Regression, Subject, SweptCheckpoint } from './sweep.ts';

export interface RegressionInput {
  readonly before: readonly SweptCheckpoint[];
  readonly now: readonly SweptCheckpoint[];
  readonly benchmarks: readonly string[];
  /** Of the checkpoints of both. */
  readonly evaluations: readonly Evaluation[];
}

export function regressionsOf({ before, now, benchmarks, evaluations }: RegressionInput): readonly Regression[] {
  return now.flatMap((checkpoint) =>
    checkpoint.subjects.flatMap((subject) => {
      const then = before.find(({ subjects }) => subjects.some((one) => keyOf(one) === keyOf(subject)));
      if (then === undefined || then.id === checkpoint.id) return [];
      return benchmarks.flatMap((benchmark) => regression(evaluations, { then, checkpoint, subject, benchmark }) ?? []);
    }),
  );
}

const keyOf = (subject: Subject) => JSON.stringify([subject.kind, 'pipeline' in subject ? subject.pipeline : null]);

interface Pair {
  readonly then: SweptCheckpoint;
  readonly checkpoint: SweptCheckpoint;
  readonly subject: Subject;
  readonly benchmark: string;
}

function regression(
  evaluations: readonly Evaluation[],
  { then, checkpoint, subject, benchmark }: Pair,
): Regression | null {
  const version = checkpoint.versions[benchmark];
  if (version === undefined || then.versions[benchmark] !== version) return null;
  const { whole } = wholeOf(evaluations, { benchmark, version });
  const scoredBefore = scoreOf(whole, { benchmark, version, checkpoint: then.id });
  const scoredNow = scoreOf(whole, { benchmark, version, checkpoint: checkpoint.id });
  if (scoredBefore === null || scoredNow === null) return null;
  const { lines } = compareWithBest([
    { id: then.id, ...scoredBefore, standardError: 0 },
    { id: checkpoint.id, ...scoredNow, standardError: 0 },
  ]);
  const difference = lines.find(({ id }) => id === checkpoint.id)?.fromBest;
  if (difference === undefined || difference.high >= 0) return null;
  return {
    subject,
    benchmark,
    before: { checkpoint: then.id, mean: scoredBefore.mean },
    now: { checkpoint: checkpoint.id, mean: scoredNow.mean },
    difference,
  };
}
