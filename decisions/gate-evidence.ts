/**
 * The evidence of a gate, by candidate and benchmark: evaluations that are whole, and what is known from outside.
 *
 * Covers which evaluations count and which are missing. Does not cover what a stage makes of them (gate-stages.ts, gate-compare.ts).
 */
import { TemperError } from './errors.ts';
import type { CheckpointFact, Evaluation, EvaluationKey } from './evaluation.ts';
import type { GateInput } from './gate-input.ts';
import { outsideRunsOf } from './outside-evidence.ts';
import { evaluationsOf, type PooledProblem, scoreOf } from './scores.ts';

/** A checkpoint with its score on one benchmark. */
export interface Scored {
  readonly checkpoint: CheckpointFact;
  readonly mean: number;
  /** Evaluations with a seed each, or runs elsewhere. */
  readonly runs: number;
  /** Null where only the mean of runs elsewhere is known, with its error. */
  readonly problems: readonly PooledProblem[] | null;
  readonly standardError: number;
  /** Problems of the benchmark. */
  readonly n: number;
  /** Null where nobody told. */
  readonly tokensPerSample: number | null;
  /** Of one run; null where nobody told. */
  readonly minutes: number | null;
}

/** Those that have a score: its own evaluations where there are any, else runs from outside. */
export function scored(input: GateInput, checkpoints: readonly CheckpointFact[], benchmark: string): readonly Scored[] {
  return checkpoints.flatMap((checkpoint): Scored[] => {
    const own = isEvaluated(input, benchmark)
      ? scoreOf(wholeEvaluations(input, benchmark), { ...keyOf(input, benchmark), checkpoint: checkpoint.id })
      : null;
    if (own !== null) {
      const { mean, problems, tokensPerSample, seeds, seconds } = own;
      const of = { runs: seeds.length, minutes: seconds / 60 / seeds.length, n: problems.length, standardError: 0 };
      return [{ checkpoint, mean, problems, tokensPerSample, ...of }];
    }
    const outside = outsideRunsOf(input.outside ?? [], { checkpoint: checkpoint.id, benchmark });
    if (outside === null) return [];
    const minutes = outsideMinutes(input, checkpoint.id, benchmark);
    return [{ checkpoint, ...outside, n: outside.problems, problems: null, tokensPerSample: null, minutes }];
  });
}

/** The longest that was told. */
export function outsideMinutes(input: GateInput, checkpoint: string, benchmark: string): number | null {
  const told = (input.outside ?? []).flatMap((one) =>
    one.kind === 'runtime' && one.checkpoint === checkpoint && one.benchmark === benchmark ? [one.minutes] : [],
  );
  return told.length === 0 ? null : Math.max(...told);
}

/**
 * Seeds that a checkpoint lacks to have so many whole evaluations, lowest first. The seed of one that is not whole is taken: it is in the
 * ledger for good.
 */
export function missingSeeds(
  input: GateInput,
  pair: { readonly checkpoint: string; readonly benchmark: string },
  wanted: number,
): readonly EvaluationKey[] {
  const key = { ...pair, ...keyOf(input, pair.benchmark) };
  const taken = new Set(evaluationsOf(input.evaluations, key).map(({ seed }) => seed));
  const outside = outsideRunsOf(input.outside ?? [], pair)?.runs ?? 0;
  let lacking = wanted - Math.max(outside, evaluationsOf(wholeEvaluations(input, pair.benchmark), key).length);
  const missing: EvaluationKey[] = [];
  for (let seed = 1; lacking > 0; seed += 1) {
    if (taken.has(seed)) continue;
    missing.push({ ...key, seed });
    lacking -= 1;
  }
  return missing;
}

/** Temper evaluates on it; on any other it only hears of scores. */
export function isEvaluated(input: GateInput, benchmark: string): boolean {
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

/** Those that have every problem that any of this benchmark and version has: whoever leaves hard ones out must not win by it. */
function wholeEvaluations(input: GateInput, benchmark: string): readonly Evaluation[] {
  const { version } = keyOf(input, benchmark);
  const own = input.evaluations.filter((one) => one.benchmark === benchmark && one.version === version);
  const problems = new Set(own.flatMap((one) => one.problems.map(({ problem }) => problem)));
  return own.filter((one) => new Set(one.problems.map(({ problem }) => problem)).size === problems.size);
}

function keyOf(input: GateInput, benchmark: string): { readonly benchmark: string; readonly version: number } {
  return { benchmark, version: input.versions[benchmark] ?? 0 };
}
