/**
 * All evaluations as rows with their uncertainty and what the gate said: what the terminal, the page and the query show.
 *
 * Covers one row per checkpoint and benchmark, from evaluations that have every problem; where there is none, from what there is, with
 * the number of problems that are lacking. Does not cover scores from outside, or printing.
 */
import { compareText } from './compare-text.ts';
import type { CheckpointFact, Evaluation } from './evaluation.ts';
import type { GateVerdict } from './gate-report.ts';
import { sentenceOfVerdict, whyNot } from './gate-sentences.ts';
import { majorityAtK } from './majority-vote.ts';
import { runTimeOf } from './run-time.ts';
import { evaluationsOf, isWhole, type PooledScore, type ScoreKey, scoreOf, wholeOf } from './scores.ts';
import {
  bootstrapMean,
  type Estimate,
  type Interval,
  mean,
  pairedBootstrap,
  passAtK,
  quantile,
  standardDeviation,
  wilson,
} from './statistics.ts';

export interface LeaderboardInput {
  /** In the order of the phases; parents included where a gain is to be shown. */
  readonly checkpoints: readonly CheckpointFact[];
  readonly evaluations: readonly Evaluation[];
  /** The last verdict of each phase that has one, by the phase's name. */
  readonly verdicts: Readonly<Record<string, GateVerdict>>;
}

/**
 * `promote`: goes on. `passed-over`: another went on. `reject`: missed a limit. `open`: the gate has not decided. `none`: no gate
 * looked at it.
 */
export type RowVerdict = 'promote' | 'passed-over' | 'reject' | 'open' | 'none';

/** As a person says it. */
export const verdictWords: Readonly<Record<RowVerdict, string>> = {
  promote: 'promoted',
  'passed-over': 'not chosen',
  reject: 'rejected',
  open: 'open',
  none: '',
};

export interface LeaderboardRow {
  readonly phase: string;
  readonly checkpoint: string;
  readonly step: number;
  readonly benchmark: string;
  readonly version: number;
  /** Problems, samples over all of them, and seeds. */
  readonly problems: number;
  readonly samples: number;
  readonly seeds: number;
  /** Problems that other evaluations have and this lacks: it counts for no gate. Absent where none is lacking. */
  readonly lacking?: number;
  /** Share of samples that are correct, or of votes where the benchmark has them, as the mean over problems. */
  readonly mean: number;
  /** Standard deviation of the mean from seed to seed; null with one seed. */
  readonly sdOverSeeds: number | null;
  /** 95 %: bootstrap over problems, or Wilson's where each problem has one sample, and where all problems score alike. */
  readonly low: number;
  readonly high: number;
  /** What the mean is worth among those that the gate could not tell apart, of so many it looked at; absent where it picked none by this. */
  readonly shrunken?: Interval & { readonly mean: number; readonly lookedAt: number };
  /** Chance that one of k samples is correct, for the k of one evaluation. */
  readonly passAtK: { readonly k: number; readonly value: number };
  /**
   * Chance that a vote of as many samples is correct; null with one sample, where votes are the score, or where the answers are not known. This, the next and
   * `run` are absent in older rows.
   */
  readonly majorityAtK?: number | null;
  /** Null where nobody told: no answer has none. The same of the next. */
  readonly tokensPerSample: number | null;
  /** What the samples of 95 % of the problems need less than, as the mean of each problem. */
  readonly tokensP95?: number | null;
  readonly truncatedShare: number;
  /** Share of samples that were not done in time; absent where all were. */
  readonly timedOutShare?: number;
  /** Each problem's score is that of its vote, and the mean is over them. Absent where the samples count by themselves. */
  readonly byVote?: true;
  /** Over all seeds. */
  readonly seconds: number;
  /** Seconds that one run over as many problems like these takes: half, and 95 %, of the draws. Null where problems are lacking. */
  readonly run?: { readonly p50: number; readonly p95: number } | null;
  /** Difference to the parent over the same problems; null where the parent, or this, has no evaluation with every problem. */
  readonly gain: Estimate | null;
  readonly verdict: RowVerdict;
  /** One sentence; empty where there is nothing to say. */
  readonly why: string;
}

/** Rows in the order of the phases, then by benchmark and step. */
export function leaderboard(input: LeaderboardInput): readonly LeaderboardRow[] {
  return rowInputs(input).flatMap((one) => leaderboardRow(one) ?? []);
}

/** What each row is made of, in the same order: for whoever gives others a turn between two rows. */
export function rowInputs({ checkpoints, evaluations, verdicts }: LeaderboardInput): readonly RowInput[] {
  const phases = [...new Set(checkpoints.map((checkpoint) => checkpoint.phase))];
  const counted = new Map<string, number>();
  const problemsOf = (key: ScoreKey) => {
    const known = counted.get(textOf(key)) ?? wholeOf(evaluations, key).problems.length;
    counted.set(textOf(key), known);
    return known;
  };
  const inputs = checkpoints.flatMap((checkpoint) =>
    keysOf(evaluations, checkpoint.id).map((key) => ({
      checkpoint,
      key,
      evaluations,
      problems: problemsOf(key),
      verdict: verdicts[checkpoint.phase],
    })),
  );
  return inputs.sort(
    (a, b) =>
      phases.indexOf(a.checkpoint.phase) - phases.indexOf(b.checkpoint.phase) ||
      compareText(a.key.benchmark, b.key.benchmark) ||
      a.key.version - b.key.version ||
      a.checkpoint.step - b.checkpoint.step ||
      compareText(a.checkpoint.id, b.checkpoint.id),
  );
}

export interface RowInput {
  readonly checkpoint: CheckpointFact;
  readonly key: ScoreKey;
  /** Those of the checkpoint and of its parent, at least. */
  readonly evaluations: readonly Evaluation[];
  /** That any evaluation of this benchmark and version has. */
  readonly problems: number;
  readonly verdict: GateVerdict | undefined;
}

/** The row of one checkpoint on one benchmark; null where nothing was evaluated. */
export function leaderboardRow({ checkpoint, key, evaluations, problems, verdict }: RowInput): LeaderboardRow | null {
  const whole = evaluations.filter((one) => isWhole(one, problems));
  const counted = evaluationsOf(whole, key).length === 0 ? evaluations : whole;
  const score = scoreOf(counted, key);
  if (score === null) return null;
  const own = evaluationsOf(counted, key);
  const perSeed = own.map((one) => scoreOf([one], key)?.mean ?? 0);
  return {
    phase: checkpoint.phase,
    checkpoint: checkpoint.id,
    step: checkpoint.step,
    benchmark: key.benchmark,
    version: key.version,
    problems: score.problems.length,
    samples: score.samples,
    seeds: score.seeds.length,
    ...(counted === whole ? {} : { lacking: problems - score.problems.length }),
    mean: score.mean,
    sdOverSeeds: standardDeviation(perSeed),
    ...intervalOf(score),
    ...shrunkenBy(verdict, { checkpoint, key, mean: score.mean }),
    passAtK: meanPassAtK(score),
    majorityAtK: score.byVote ? null : meanMajorityAtK(own, score),
    tokensPerSample: score.tokensPerSample > 0 ? score.tokensPerSample : null,
    tokensP95: score.tokensPerSample > 0 ? tokensP95(score) : null,
    truncatedShare: score.truncatedShare,
    ...(score.timedOutShare > 0 && { timedOutShare: score.timedOutShare }),
    ...(score.byVote && { byVote: true }),
    seconds: score.seconds,
    run: counted === whole ? runSeconds(own) : null,
    gain: counted === whole ? gainOf(whole, checkpoint, { key, score }) : null,
    ...verdictOf(checkpoint, verdict),
  };
}

/** As far as the verdict rests on the same score: not where evaluations came after it, or where it is of another version. */
function shrunkenBy(
  verdict: GateVerdict | undefined,
  of: { readonly checkpoint: CheckpointFact; readonly key: ScoreKey; readonly mean: number },
): Pick<LeaderboardRow, 'shrunken'> {
  if (verdict?.kind !== 'promote' || verdict.shrunken?.benchmark !== of.key.benchmark) return {};
  const { id } = of.checkpoint;
  const seen = verdict.stages
    .flatMap((report) => (report.benchmark === of.key.benchmark ? [...report.lines] : []))
    .some((line) => line.checkpoint === id && 'score' in line && line.score === of.mean);
  const own = verdict.shrunken.scores.find((one) => one.id === id);
  if (own === undefined || !seen) return {};
  return { shrunken: { mean: own.mean, low: own.low, high: own.high, lookedAt: verdict.shrunken.lookedAt } };
}

/** Rounding of sums, and no interval. */
const noWidth = 1e-12;

/** 95 %. */
export function intervalOf(score: PooledScore): Interval {
  if (!score.byVote && score.problems.every((problem) => problem.samples === 1)) {
    return wilson(
      score.problems.reduce((total, problem) => total + problem.correct, 0),
      score.problems.length,
    );
  }
  const { low, high } = bootstrapMean(score.problems.map((problem) => problem.score));
  // That all problems score alike is luck of so many, which no draw of them shows.
  const isAlike = high - low < noWidth;
  return isAlike ? wilson(score.mean * score.problems.length, score.problems.length) : { low, high };
}

/** The samples that one evaluation takes of a problem (of the one with the fewest). */
function samplesOfOne(score: PooledScore): number {
  const fewest = Math.min(...score.problems.map((problem) => problem.samples));
  return Math.max(1, Math.floor(fewest / score.seeds.length));
}

function meanPassAtK(score: PooledScore): { k: number; value: number } {
  const k = samplesOfOne(score);
  const values = score.problems.map(({ samples, correct }) => (samples < k ? 0 : passAtK(samples, correct, k)));
  return { k, value: values.reduce((total, value) => total + value, 0) / values.length };
}

/** Null where a right sample has no answer: somebody recorded shares alone, and nobody knows what was voted for. */
function meanMajorityAtK(own: readonly Evaluation[], score: PooledScore): number | null {
  const k = samplesOfOne(score);
  if (k === 1) return null;
  const byProblem = Map.groupBy(
    own.flatMap((one) => one.problems),
    ({ problem }) => problem,
  );
  const ballots = [...byProblem.values()].map((outcomes) => ({
    answers: outcomes.flatMap(({ answers }) => answers),
    correctAnswers: outcomes.flatMap(({ correctAnswers }) => correctAnswers),
    correct: outcomes.reduce((total, { correct }) => total + correct, 0),
  }));
  const isKnown = ballots.every(
    ({ answers, correctAnswers, correct }) =>
      correctAnswers.filter((right, index) => right && (answers[index] ?? null) !== null).length === correct,
  );
  return isKnown ? mean(majorityAtK(ballots, k)) : null;
}

function tokensP95({ problems }: PooledScore): number {
  const perSample = problems.map(({ tokens, samples }) => (samples === 0 ? 0 : tokens / samples));
  return quantile(
    perSample.sort((a, b) => a - b),
    0.95,
  );
}

function runSeconds(own: readonly Evaluation[]): { readonly p50: number; readonly p95: number } {
  const { p50, p95 } = runTimeOf(own);
  return { p50: p50 * 60, p95: p95 * 60 };
}

function gainOf(
  whole: readonly Evaluation[],
  checkpoint: CheckpointFact,
  own: { readonly key: ScoreKey; readonly score: PooledScore },
): Estimate | null {
  if (checkpoint.parent === null) return null;
  const parent = scoreOf(whole, { ...own.key, checkpoint: checkpoint.parent });
  return parent === null ? null : pairedBootstrap(own.score.problems, parent.problems);
}

function verdictOf(checkpoint: CheckpointFact, verdict: GateVerdict | undefined): { verdict: RowVerdict; why: string } {
  if (verdict === undefined) return { verdict: 'none', why: '' };
  const why = whyNot(verdict, checkpoint.id);
  switch (verdict.kind) {
    case 'promote':
      if (verdict.checkpoint.id === checkpoint.id) return { verdict: 'promote', why: sentenceOfVerdict(verdict) };
      return { verdict: missedLimit(verdict, checkpoint.id) ? 'reject' : 'passed-over', why: why ?? '' };
    case 'reject':
      return { verdict: 'reject', why: why ?? sentenceOfVerdict(verdict) };
    case 'hold':
    case 'more-evaluations':
      return { verdict: 'open', why: why ?? sentenceOfVerdict(verdict) };
  }
}

function missedLimit(verdict: GateVerdict, checkpoint: string): boolean {
  return verdict.stages.some(
    (report) =>
      report.stage !== 'rank' &&
      report.stage !== 'compare' &&
      report.lines.some((line) => line.checkpoint === checkpoint && line.outcome === 'failed'),
  );
}

function keysOf(evaluations: readonly Evaluation[], checkpoint: string): readonly ScoreKey[] {
  const keys = new Map<string, ScoreKey>();
  for (const { checkpoint: id, benchmark, version } of evaluations) {
    if (id === checkpoint) keys.set(textOf({ benchmark, version }), { checkpoint: id, benchmark, version });
  }
  return [...keys.values()];
}

const textOf = ({ benchmark, version }: Pick<ScoreKey, 'benchmark' | 'version'>) => `${benchmark}@${version}`;
