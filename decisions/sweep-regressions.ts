/**
 * What became worse since the last sweep: of each subject the checkpoint of now against the one of then, paired over the same problems,
 * as the gate compares. A difference inside the noise is none; the more subjects and benchmarks are looked at, the wider the noise is taken
 * (Bonferroni): in 95 % of the nights on which nothing changed, nothing is told.
 *
 * Both scores are of the ledger as it is now: an evaluation that came later counts for both. Does not cover what is evaluated (sweep-due.ts).
 */
import { compareWithBest } from './comparison-with-best.ts';
import type { Evaluation } from './evaluation.ts';
import { canonicalJson } from './identity.ts';
import { type PooledScore, type ScoreKey, scoreOf, wholeOf } from './scores.ts';
import type { Regression, Subject, SweepReport, SweptCheckpoint } from './sweep.ts';

export interface RegressionInput {
  readonly before: readonly SweptCheckpoint[];
  readonly now: readonly SweptCheckpoint[];
  readonly benchmarks: readonly string[];
  /** Of the checkpoints of both. */
  readonly evaluations: readonly Evaluation[];
}

export interface SweepComparison extends Required<Pick<SweepReport, 'compared' | 'unchanged'>> {
  readonly regressions: readonly Regression[];
}

/** `othersTurn` comes between two comparisons: the draws of many take seconds. */
export async function comparedWithLast(
  input: RegressionInput,
  othersTurn: () => Promise<void>,
): Promise<SweepComparison> {
  const scored = scoresIn(input.evaluations);
  const pairs: Pair[] = [];
  let unchanged = 0;
  for (const { subject, then, checkpoint, ...on } of inBoth(input)) {
    const [old, own] = [then.id, checkpoint.id].map((id) => scored({ ...on, checkpoint: id }));
    await othersTurn();
    if (!old || !own) continue;
    const before = { checkpoint: then.id, score: old };
    if (then.id === checkpoint.id) unchanged += 1;
    else pairs.push({ subject, benchmark: on.benchmark, before, now: { checkpoint: checkpoint.id, score: own } });
  }
  const regressions: Regression[] = [];
  for (const pair of pairs) {
    regressions.push(...regression(pair, pairs.length));
    await othersTurn();
  }
  return { compared: pairs.length, unchanged, regressions };
}

interface Pair {
  readonly subject: Subject;
  readonly benchmark: string;
  readonly before: { readonly checkpoint: string; readonly score: PooledScore };
  readonly now: { readonly checkpoint: string; readonly score: PooledScore };
}

interface InBoth {
  readonly subject: Subject;
  readonly then: SweptCheckpoint;
  readonly checkpoint: SweptCheckpoint;
  readonly benchmark: string;
  readonly version: number;
}

/** Subjects that both sweeps look at, on benchmarks that mean the same in both. */
function inBoth({ before, now, benchmarks }: Omit<RegressionInput, 'evaluations'>): readonly InBoth[] {
  return now.flatMap((checkpoint) =>
    checkpoint.subjects.flatMap((subject) => {
      const then = before.find(({ subjects }) => subjects.some((one) => canonicalJson(one) === canonicalJson(subject)));
      if (then === undefined) return [];
      return benchmarks.flatMap((benchmark): readonly InBoth[] => {
        const version = checkpoint.versions[benchmark];
        if (version === undefined || then.versions[benchmark] !== version) return [];
        return [{ subject, then, checkpoint, benchmark, version }];
      });
    }),
  );
}

/** Of evaluations with every problem, which are looked for once per benchmark. */
function scoresIn(evaluations: readonly Evaluation[]): (key: ScoreKey) => PooledScore | null {
  const wholes = new Map<string, readonly Evaluation[]>();
  return (key) => {
    const name = `${key.benchmark}@${String(key.version)}`;
    const whole = wholes.get(name) ?? wholeOf(evaluations, key).whole;
    wholes.set(name, whole);
    return scoreOf(whole, key);
  };
}

/** None, or one. */
function regression({ subject, benchmark, before, now }: Pair, looks: number): readonly Regression[] {
  const { lines } = compareWithBest(
    [before, now].map(({ checkpoint, score }) => ({ id: checkpoint, ...score, standardError: 0 })),
    { looks },
  );
  const difference = lines.find(({ id }) => id === now.checkpoint)?.fromBest;
  if (difference === undefined || difference.high >= 0) return [];
  const [from, to] = [before, now].map(({ checkpoint, score }) => ({ checkpoint, mean: score.mean }));
  return from && to ? [{ subject, benchmark, before: from, now: to, difference }] : [];
}
