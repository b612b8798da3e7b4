/**
 * Whether a run is going bad: held-out scores at looks over one training → go on, or stop and go back to the best look.
 *
 * A look is held against the mean of all looks of the same run before it, problem by problem: what a phase loses to its parent is the
 * gate's matter, and a run that first falls and then climbs is left alone. Of several benchmarks the falls are added in units of their
 * noise (Stouffer's method). The rule's numbers and where they come from: docs/decisions/0031. The trainer's own curves (reward, length)
 * do not decide: in the run they were published for, the reward rose while it collapsed. They stand beside the reason.
 *
 * Does not cover which evaluations are a look (looks.ts), or stopping and going back (workflows/collapse-watch.ts).
 */
import { errorOfMean, mean, type ProblemScore, standardError } from './statistics.ts';

/** Of a fall: what is never called a collapse, as a share. */
const smallestFall = 0.02;
/** Standard errors beyond that. */
const alarm = 2.75;
/** Of a fall that is the same on every problem. */
const leastError = 0.001;

/** Scores by problem, or of a benchmark whose problems are not known the mean with its standard error. */
export type LookScore =
  { readonly problems: readonly ProblemScore[] } | { readonly mean: number; readonly standardError: number };

/** Held-out scores at one step, by benchmark; the same benchmarks at every look. */
export interface Look {
  readonly step: number;
  readonly scores: Readonly<Record<string, LookScore>>;
}

/** What the trainer said of itself at a step, for example reward and length. */
export interface CurvePoint {
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface Fall {
  readonly benchmark: string;
  /** Mean of the looks before, and of this one. */
  readonly before: number;
  readonly now: number;
  readonly standardError: number;
}

export type CollapseVerdict =
  | { readonly kind: 'go-on'; readonly strength: number; readonly falls: readonly Fall[] }
  | {
      readonly kind: 'stop';
      readonly atStep: number;
      /** The look with the highest mean over its benchmarks; of equal ones the later. */
      readonly goBackTo: number;
      /** Standard errors beyond the smallest fall, over all benchmarks. */
      readonly strength: number;
      readonly falls: readonly Fall[];
      /** From the step to go back to until now. */
      readonly curves: readonly { readonly metric: string; readonly from: number; readonly to: number }[];
    };

/** Judges the newest look; fewer than two say nothing. The order in which looks come does not matter. */
export function judgeCollapse(looks: readonly Look[], curves: readonly CurvePoint[] = []): CollapseVerdict {
  const ordered = [...looks].sort((a, b) => a.step - b.step);
  const newest = ordered.at(-1);
  const before = ordered.slice(0, -1);
  if (newest === undefined || before.length === 0) return { kind: 'go-on', strength: 0, falls: [] };
  const falls = Object.keys(newest.scores)
    .sort()
    .map((benchmark) => fallOf(benchmark, newest, before));
  const beyond = falls.map((fall) => (fall.before - fall.now - smallestFall) / fall.standardError);
  const strength = beyond.reduce((sum, one) => sum + one, 0) / Math.sqrt(Math.max(1, beyond.length));
  if (strength < alarm) return { kind: 'go-on', strength, falls };
  const best = before.reduce((one, other) => (heightOf(other) >= heightOf(one) ? other : one));
  const between = { from: best.step, to: newest.step };
  return {
    kind: 'stop',
    atStep: newest.step,
    goBackTo: best.step,
    strength,
    falls,
    curves: changesOf(curves, between),
  };
}

/** In one sentence, with its numbers. */
export function sentenceOfCollapse(verdict: Extract<CollapseVerdict, { kind: 'stop' }>): string {
  const share = (value: number) => (value * 100).toFixed(1);
  const falls = verdict.falls.map(
    ({ benchmark, before, now }) => `${benchmark} from ${share(before)} to ${share(now)} %`,
  );
  const curves = verdict.curves.map(({ metric, from, to }) => `${metric} ${brief(from)} → ${brief(to)}`);
  const beside = curves.length === 0 ? '' : `; meanwhile ${curves.join(', ')}`;
  return `The run is collapsing at step ${verdict.atStep}: ${falls.join(', ')} against the looks before, ${verdict.strength.toFixed(1)} standard errors more than a fall of ${share(smallestFall)} points${beside}. Go back to step ${verdict.goBackTo}.`;
}

function fallOf(benchmark: string, newest: Look, before: readonly Look[]): Fall {
  const now = newest.scores[benchmark];
  const earlier = before.flatMap(({ scores }) => scores[benchmark] ?? []);
  const means = earlier.map(meanOf);
  const numbers = { benchmark, before: mean(means) ?? 0, now: now === undefined ? 0 : meanOf(now) };
  const paired = now === undefined ? null : pairedFalls(now, earlier);
  if (paired !== null) {
    const fall = mean(paired) ?? 0;
    return { ...numbers, before: numbers.now + fall, standardError: Math.max(leastError, standardError(paired) ?? 1) };
  }
  const squares = earlier.reduce((sum, one) => sum + errorOf(one) ** 2, 0) / earlier.length ** 2;
  const error = Math.sqrt(squares + (now === undefined ? 1 : errorOf(now) ** 2));
  return { ...numbers, standardError: Math.max(leastError, error) };
}

/** By problem, what it had at the looks before less what it has now; null where problems are not known of all. */
function pairedFalls(now: LookScore, earlier: readonly LookScore[]): readonly number[] | null {
  if (!('problems' in now)) return null;
  const before = earlier.flatMap((one) =>
    'problems' in one ? [new Map(one.problems.map((p) => [p.problem, p.score]))] : [],
  );
  if (before.length < earlier.length) return null;
  return [...now.problems]
    .sort((a, b) => (a.problem < b.problem ? -1 : 1))
    .flatMap(({ problem, score }) => {
      const had = mean(before.flatMap((look) => look.get(problem) ?? []));
      return had === null ? [] : [had - score];
    });
}

function meanOf(score: LookScore): number {
  return 'problems' in score ? (mean(score.problems.map((one) => one.score)) ?? 0) : score.mean;
}

function errorOf(score: LookScore): number {
  return 'problems' in score ? errorOfMean(score.problems.map((one) => one.score)) : score.standardError;
}

function heightOf({ scores }: Look): number {
  return mean(Object.values(scores).map(meanOf)) ?? 0;
}

function changesOf(curves: readonly CurvePoint[], { from, to }: { readonly from: number; readonly to: number }) {
  const at = (step: number) =>
    curves
      .filter((point) => point.step <= step)
      .sort((a, b) => a.step - b.step)
      .at(-1);
  const begin = at(from)?.metrics ?? {};
  const end = at(to)?.metrics ?? {};
  return Object.entries(begin).flatMap(([metric, value]) => {
    const now = end[metric];
    return now === undefined ? [] : [{ metric, from: value, to: now }];
  });
}

function brief(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}
