/**
 * The evidence of a gate, by candidate and benchmark: evaluations that are whole, and what is known from outside.
 *
 * Covers which evaluations count and which are missing. Does not cover what a stage makes of them (gate-stages.ts, gate-compare.ts).
 */
import { TemperError } from './errors.ts';
import type { CheckpointFact, Evaluation, EvaluationKey } from './evaluation.ts';
import type { GateInput } from './gate-input.ts';
import type { LackingProblems, UnfinishedShares } from './gate-report.ts';
import { outsideRunsOf } from './outside-evidence.ts';
import { evaluationsOf, type PooledProblem, scoreOf, wholeOf } from './scores.ts';
import { errorOfMean } from './statistics.ts';

/** A checkpoint with its score on one benchmark. */
export interface Scored extends UnfinishedShares {
  readonly checkpoint: CheckpointFact;
  readonly mean: number;
  /** Evaluations with a seed each, or runs elsewhere. */
  readonly runs: number;
  /** Null where only the mean of runs elsewhere is known. */
  readonly problems: readonly PooledProblem[] | null;
  /** Of the mean: what it counts with beside one that has no scores by problem. */
  readonly standardError: number;
  /** Problems of the benchmark. */
  readonly n: number;
  /** Null where nobody told. */
  readonly tokensPerSample: number | null;
  /** Of one run; null where nobody told. */
  readonly minutes: number | null;
}

export type CheckpointOnBenchmark = Pick<EvaluationKey, 'checkpoint' | 'benchmark'>;

/** Those that have a score: its own evaluations where there are any, else runs from outside. */
export function scored(input: GateInput, checkpoints: readonly CheckpointFact[], benchmark: string): readonly Scored[] {
  return checkpoints.flatMap((checkpoint): Scored[] => {
    const own = isEvaluated(input, benchmark)
      ? scoreOf(wholeEvaluations(input, benchmark), { ...keyOf(input, benchmark), checkpoint: checkpoint.id })
      : null;
    if (own !== null) {
      const { mean, problems, tokensPerSample, seeds, seconds } = own;
      const of = { runs: seeds.length, minutes: seconds / 60 / seeds.length, n: problems.length };
      const error = errorOfMean(problems.map(({ score }) => score));
      return [{ checkpoint, mean, problems, standardError: error, tokensPerSample, ...of, ...unfinishedShares(own) }];
    }
    const outside = outsideRunsOf(input.outside ?? [], { checkpoint: checkpoint.id, benchmark });
    if (outside === null) return [];
    const minutes = outsideMinutes(input, checkpoint.id, benchmark);
    return [{ checkpoint, ...outside, n: outside.problems, problems: null, tokensPerSample: null, minutes }];
  });
}

/** Those that there are. */
export function unfinishedShares({ timedOutShare = 0, truncatedShare = 0 }: UnfinishedShares): UnfinishedShares {
  return { ...(timedOutShare > 0 && { timedOutShare }), ...(truncatedShare > 0 && { truncatedShare }) };
}

/** The longest that was told. */
export function outsideMinutes(input: GateInput, checkpoint: string, benchmark: string): number | null {
  const told = (input.outside ?? []).flatMap((one) =>
    one.kind === 'runtime' && one.checkpoint === checkpoint && one.benchmark === benchmark ? [one.minutes] : [],
  );
  return told.length === 0 ? null : Math.max(...told);
}

/**
 * Seeds that a checkpoint lacks to have so many whole evaluations, lowest first, as far as there are seeds. The seed of one that is not
 * whole is taken: it is in the ledger for good.
 */
export function missingSeeds(input: GateInput, pair: CheckpointOnBenchmark, wanted: number): readonly EvaluationKey[] {
  const key = { ...pair, ...keyOf(input, pair.benchmark) };
  const taken = new Set(evaluationsOf(input.evaluations, key).map(({ seed }) => seed));
  const free = Array.from({ length: mostSeeds(input) }, (_, index) => index + 1).filter((seed) => !taken.has(seed));
  return free.slice(0, Math.max(0, wanted - runsOf(input, pair))).map((seed) => ({ ...key, seed }));
}

/** Why a checkpoint cannot have so many whole evaluations, with all seeds spent; null where it has them. */
export function lackingProblems(input: GateInput, pair: CheckpointOnBenchmark, wanted: number): LackingProblems | null {
  if (runsOf(input, pair) >= wanted) return null;
  const key = { ...pair, ...keyOf(input, pair.benchmark) };
  const { whole, problems } = wholeOf(input.evaluations, key);
  const partial = evaluationsOf(input.evaluations, key).filter((one) => !whole.includes(one));
  const lacked = problems.filter((problem) =>
    partial.some((one) => !one.problems.some((outcome) => outcome.problem === problem)),
  );
  return { ...pair, evaluations: partial.length, problems: lacked, seeds: mostSeeds(input) };
}

function runsOf(input: GateInput, pair: CheckpointOnBenchmark): number {
  const key = { ...pair, ...keyOf(input, pair.benchmark) };
  const outside = outsideRunsOf(input.outside ?? [], pair)?.runs ?? 0;
  return Math.max(outside, evaluationsOf(wholeEvaluations(input, pair.benchmark), key).length);
}

function mostSeeds({ evaluate }: GateInput): number {
  return Math.max(evaluate.seeds, evaluate.maxSeeds);
}

/** Temper evaluates on it; on any other it only hears of scores. */
export function isEvaluated(input: GateInput, benchmark: string): boolean {
  if (input.outsideBenchmarks?.includes(benchmark) ?? false) return false;
  if (input.versions[benchmark] !== undefined) return true;
  if (input.outside?.some((one) => one.benchmark === benchmark) ?? false) return false;
  throw new TemperError('invalid-input', `the gate looks at "${benchmark}", which has no version`);
}

/** Such a one would be asked for again and again, and its key is taken. */
export function refuseEmptyEvaluations(input: GateInput): void {
  const empty = input.evaluations.find((one) => one.problems.length === 0);
  if (empty === undefined) return;
  const { checkpoint, benchmark, seed } = empty;
  throw new TemperError(
    'ledger-conflict',
    `the evaluation of ${checkpoint} on ${benchmark} with seed ${seed} has no problem`,
  );
}

export function inOrder(keys: readonly EvaluationKey[]): readonly EvaluationKey[] {
  const text = (key: EvaluationKey) => `${key.checkpoint}\n${key.benchmark}\n${String(key.seed).padStart(4, '0')}`;
  return [...keys].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Those that count. */
export function wholeEvaluations(input: GateInput, benchmark: string): readonly Evaluation[] {
  return wholeOf(input.evaluations, keyOf(input, benchmark)).whole;
}

function keyOf(input: GateInput, benchmark: string): { readonly benchmark: string; readonly version: number } {
  return { benchmark, version: input.versions[benchmark] ?? 0 };
}
