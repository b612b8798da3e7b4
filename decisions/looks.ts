/**
 * Evaluations of a phase's checkpoints → the looks that collapse.ts judges, and what the trainer said of itself meanwhile.
 *
 * Covers which checkpoints count as looked at. Does not cover the rule (collapse.ts).
 */
import type { CurvePoint, Look } from './collapse.ts';
import type { CheckpointFact, Evaluation } from './evaluation.ts';
import type { Progress } from './failure.ts';
import { evaluationsOf, scoreOf, wholeOf } from './scores.ts';

export interface LookedAt {
  readonly benchmarks: readonly string[];
  /** Seeds 1 to this count; what a gate asked for later does not, so that every look rests on as many. */
  readonly seeds: number;
  readonly versions: Readonly<Record<string, number>>;
}

/** Of each checkpoint whose first evaluations are all there, and whole. */
export function looksOf(
  checkpoints: readonly Pick<CheckpointFact, 'id' | 'step'>[],
  evaluations: readonly Evaluation[],
  { benchmarks, seeds, versions }: LookedAt,
): Look[] {
  const first = evaluations.filter(({ seed }) => seed <= seeds);
  return checkpoints.flatMap(({ id, step }) => {
    const scores = benchmarks.flatMap((benchmark) => {
      const of = { benchmark, version: versions[benchmark] ?? 1 };
      const { whole } = wholeOf(first, of);
      const key = { ...of, checkpoint: id };
      const score = evaluationsOf(whole, key).length < seeds ? null : scoreOf(whole, key);
      return score === null ? [] : [[benchmark, { problems: score.problems }] as const];
    });
    return scores.length < benchmarks.length ? [] : [{ step, scores: Object.fromEntries(scores) }];
  });
}

/** What trainers of these kinds say of reward and length, which a collapse bends first. */
const telling = ['reward', 'completion_tokens', 'completions/mean_length', 'completions/clipped_ratio', 'kl'];

export function curvesOf(lines: readonly Progress[]): CurvePoint[] {
  return lines.flatMap(({ step, metrics }) => {
    const known = telling.flatMap((name) =>
      typeof metrics[name] === 'number' ? [[name, metrics[name]] as const] : [],
    );
    return known.length === 0 ? [] : [{ step, metrics: Object.fromEntries(known) }];
  });
}
