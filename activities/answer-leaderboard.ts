/**
 * What `temper leaderboard` asks for: evaluated checkpoints of one pipeline, those of a sweep, or the best of the whole ledger, with their
 * numbers.
 *
 * Covers which rows, scores from outside, and evaluations that were asked for and are not there. Problems are loaded for one checkpoint and its parent at a time,
 * and others get their turn between two. Does not cover the numbers of a row (decisions/leaderboard.ts).
 */
import { compareText } from '../decisions/compare-text.ts';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { nearestName } from '../configs/nearest-name.ts';
import { TemperError } from '../decisions/errors.ts';
import type { Evaluation, EvaluationKey } from '../decisions/evaluation.ts';
import type { GateVerdict } from '../decisions/gate-report.ts';
import { afterHandPromotion, type HandPromotion } from '../decisions/hand-promotion.ts';
import { leaderboardRow } from '../decisions/leaderboard.ts';
import type { ScoreKey } from '../decisions/scores.ts';
import { sentenceOfClass } from '../decisions/sentences.ts';
import { withSources } from '../decisions/shown-scores.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { EvaluationTotal } from '../store/ledger/evaluation-totals.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type {
  LeaderboardAnswer,
  LeaderboardQuestion,
  LedgerOutsideRow,
  LedgerRow,
  MissingEvaluation,
} from '../workflows/contract-questions.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { handPromotionOf } from './hand-promotion.ts';
import { findRunAndEnd, type workOf, worksOf } from './named-run.ts';
import { checkpointsOf, outsideRowsOf } from './outside-of-pipeline.ts';
import { shownWithdrawals } from './shown-withdrawals.ts';
import { runsOfWork } from './same-work.ts';
import type { SweepPlan } from './sweep-state.ts';

/** Evaluations that are looked at. */
const mostEvaluations = 2000;
/** About 100 KB, and 14 seconds of one processor. */
const mostRows = 200;
const mostMissing = 50;
const mostOutside = 100;
/** Of all of them: 200 characters each at most. */
const mostSources = 1000;
/** Whose scores from outside are looked at, where no pipeline is named. */
const mostScoredOutside = 500;
const defaultMost = 20;

/** Checkpoint and benchmark before its problems are loaded. */
interface Candidate extends ScoreKey {
  readonly mean: number;
  readonly isWhole: boolean;
  /** That any evaluation of this benchmark and version has. */
  readonly problems: number;
}

type Work = Awaited<ReturnType<typeof workOf>>;

/** Throws `not-found` when there is no such pipeline or sweep, or nothing was ever evaluated on this benchmark. */
export async function answerLeaderboard(
  dependencies: Pick<ReadingDependencies, 'ledger' | 'runState'>,
  question: LeaderboardQuestion,
): Promise<LeaderboardAnswer> {
  const { ledger } = dependencies;
  const { pipeline, benchmark, most = defaultMost } = question;
  await requireBenchmark(ledger, benchmark);
  const { found: named, end } =
    pipeline === undefined ? { found: null, end: null } : await findRunAndEnd(dependencies, pipeline);
  const works = named && (await worksOf(ledger, named, undefined));
  const sweep = named?.kind === 'sweep' ? named.run : null;
  const order = works && (sweep === null ? await checkpointsOf(ledger, works) : sweep.plan.checkpoints.map(idOf));
  const totals = await ledger.evaluationTotals({
    ...(order === null ? {} : { checkpoints: order }),
    benchmark,
    limit: mostEvaluations + 1,
  });
  const candidates = (await candidatesOf(ledger, totals.slice(0, mostEvaluations))).filter(
    (one) => sweep === null || isOfSweep(sweep.plan, one),
  );
  const shown =
    order === null || sweep !== null
      ? bestOf(candidates, most).slice(0, mostRows)
      : inOrder(candidates, order).slice(-mostRows);
  const rows = await rowsOf(ledger, shown);
  // No sweep asks for scores from outside.
  const outside = sweep === null ? await outsideOf(ledger, { order, benchmark, most }) : [];
  const shownOutside = order === null ? outside.slice(0, mostOutside) : outside.slice(-mostOutside);
  const missing = works === null ? [] : await missingOf(ledger, works, benchmark);
  return {
    answer: 'leaderboard',
    pipeline: named?.run.workflowId ?? null,
    ...(sweep !== null && { sweep: sweep.name }),
    ...(end !== null && end.state !== 'running' && end.sentence !== null && { ended: end.sentence }),
    rows,
    outside: shownOutside.map((row) => withSources(row, Math.floor(mostSources / shownOutside.length))),
    outsideOmitted: Math.max(0, outside.length - mostOutside),
    missing: missing.slice(0, mostMissing),
    missingOmitted: Math.max(0, missing.length - mostMissing),
    omitted: candidates.length - rows.length,
    olderLeftOut: totals.length > mostEvaluations,
    // No sweep looks at what was imported.
    ...(sweep === null && (await shownWithdrawals(ledger, { checkpoints: order, benchmark }))),
  };
}

/** Throws `not-found` with the nearest name. */
export async function requireBenchmark(ledger: Ledger, benchmark: string | undefined): Promise<void> {
  if (benchmark === undefined) return;
  const known = [...new Set([...(await ledger.evaluatedBenchmarks()), ...(await ledger.benchmarksScoredOutside())])];
  if (known.includes(benchmark)) return;
  const near = nearestName(benchmark, known);
  const more = near === null ? '; there' : `; did you mean "${near}"? There`;
  const message = `nothing was evaluated on a benchmark "${benchmark}"${more} are: ${known.slice(0, 20).join(', ') || 'none'}`;
  throw new TemperError('not-found', message);
}

const idOf = ({ id }: { readonly id: string }): string => id;

/** One of its checkpoints on one of its benchmarks, in the version that the checkpoint has there. */
function isOfSweep({ sweep, checkpoints }: SweepPlan, { checkpoint, benchmark, version }: Candidate): boolean {
  const own = checkpoints.find(({ id }) => id === checkpoint);
  return sweep.benchmarks.includes(benchmark) && own?.versions[benchmark] === version;
}

async function candidatesOf(ledger: Ledger, totals: readonly EvaluationTotal[]): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const same of groups(totals, ({ benchmark, version }) => [benchmark, version])) {
    const problems = await ledger.problemCountOf(same);
    for (const own of groups(same, ({ checkpoint }) => [checkpoint])) {
      const whole = own.filter((one) => one.problems === problems);
      const counted = whole.length > 0 ? whole : own;
      const mean = counted.reduce((sum, one) => sum + one.mean, 0) / counted.length;
      const [first] = own;
      if (first === undefined) continue;
      const { checkpoint, benchmark, version } = first;
      candidates.push({ checkpoint, benchmark, version, mean, isWhole: whole.length > 0, problems });
    }
  }
  return candidates;
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => readonly unknown[]): Item[][] {
  return [...Map.groupBy(items, (item) => JSON.stringify(keyOf(item))).values()];
}

/** Of each benchmark and version the best first, those that lack problems last. */
function bestOf(candidates: readonly Candidate[], most: number): Candidate[] {
  const sorted = candidates.toSorted(
    (a, b) =>
      byBenchmark(a, b) ||
      Number(b.isWhole) - Number(a.isWhole) ||
      b.mean - a.mean ||
      compareText(a.checkpoint, b.checkpoint),
  );
  return groups(sorted, ({ benchmark, version }) => [benchmark, version]).flatMap((same) => same.slice(0, most));
}

function inOrder(candidates: readonly Candidate[], order: readonly string[]): Candidate[] {
  const places = new Map(order.map((id, place) => [id, place]));
  const placeOf = ({ checkpoint }: Candidate) => places.get(checkpoint) ?? order.length;
  return candidates.toSorted((a, b) => placeOf(a) - placeOf(b) || byBenchmark(a, b));
}

function byBenchmark(a: ScoreKey, b: ScoreKey): number {
  return compareText(a.benchmark, b.benchmark) || a.version - b.version;
}

/** In the order of the candidates. */
async function rowsOf(ledger: Ledger, shown: readonly Candidate[]): Promise<LedgerRow[]> {
  const rows = new Map<Candidate, LedgerRow>();
  const verdicts = new Map<string, Verdict>();
  let parent = null as { readonly id: string; readonly evaluations: readonly Evaluation[] } | null;
  for (const { checkpoint, own } of await recordsOf(ledger, shown)) {
    if (checkpoint.parent !== null && checkpoint.parent !== parent?.id)
      parent = { id: checkpoint.parent, evaluations: await ledger.evaluationsOf([checkpoint.parent]) };
    const evaluations = [...(await ledger.evaluationsOf([checkpoint.id])), ...(parent?.evaluations ?? [])];
    const work = `${checkpoint.runId}/${checkpoint.phase}`;
    if (!verdicts.has(work)) verdicts.set(work, await verdictOf(ledger, checkpoint));
    for (const candidate of own) {
      const { problems } = candidate;
      const { verdict, byHand } = verdicts.get(work) ?? { byHand: null };
      const row = leaderboardRow({ checkpoint, key: candidate, evaluations, problems, verdict });
      if (row === null) continue;
      rows.set(candidate, {
        pipeline: checkpoint.workflowId,
        ...(byHand === null ? row : afterHandPromotion(row, byHand)),
      });
      await othersTurn();
    }
  }
  return shown.flatMap((candidate) => rows.get(candidate) ?? []);
}

/** Each checkpoint with its candidates; those of one parent stand together, so that it is loaded once. */
async function recordsOf(ledger: Ledger, shown: readonly Candidate[]) {
  const found: { checkpoint: CheckpointRecord; own: Candidate[] }[] = [];
  for (const own of groups(shown, ({ checkpoint }) => [checkpoint])) {
    const checkpoint = await ledger.checkpoint(own[0]?.checkpoint ?? '');
    if (checkpoint !== null) found.push({ checkpoint, own });
  }
  return found.sort((a, b) => compareText(a.checkpoint.parent ?? '', b.checkpoint.parent ?? ''));
}

interface Verdict {
  readonly verdict: GateVerdict | undefined;
  /** A person's, which is the last word. */
  readonly byHand: HandPromotion | null;
}

/** Of the newest run that has one: it may have judged what runs before it made. */
async function verdictOf(ledger: Ledger, { runId: madeBy, phase }: CheckpointRecord): Promise<Verdict> {
  for (const runId of await runsOfWork(ledger, { runId: madeBy, phase })) {
    const verdict = (await ledger.verdictsOf({ runId, phase })).at(-1)?.verdict as GateVerdict | undefined;
    const byHand = await handPromotionOf(ledger, { runId, phase });
    if (verdict !== undefined || byHand !== null) return { verdict, byHand };
  }
  return { verdict: undefined, byHand: null };
}

/** Of a pipeline in the order of its checkpoints; of all the best first on each benchmark and version. */
async function outsideOf(
  ledger: Ledger,
  of: { readonly order: readonly string[] | null; readonly benchmark: string | undefined; readonly most: number },
): Promise<readonly LedgerOutsideRow[]> {
  const { benchmark, most } = of;
  const ids = of.order ?? (await ledger.checkpointsScoredOutside({ benchmark, limit: mostScoredOutside }));
  const scores = (await ledger.outsideScoresOf(ids)).filter(
    (one) => benchmark === undefined || one.benchmark === benchmark,
  );
  const rows = await outsideRowsOf(ledger, ids, scores);
  if (of.order !== null) return rows;
  const sorted = rows.toSorted(
    (a, b) =>
      byBenchmark(a, b) ||
      (b.score?.mean ?? -1) - (a.score?.mean ?? -1) ||
      (a.place ?? Infinity) - (b.place ?? Infinity) ||
      compareText(a.checkpoint, b.checkpoint),
  );
  return groups(sorted, ({ benchmark: name, version }) => [name, version]).flatMap((same) => same.slice(0, most));
}

/** What jobs were asked for and the ledger does not have, with the last job that was to make it. */
async function missingOf(
  ledger: Ledger,
  works: readonly Work[],
  benchmark: string | undefined,
): Promise<readonly MissingEvaluation[]> {
  const missing = new Map<string, MissingEvaluation>();
  for (const { workflowId, runId, phase } of works) {
    const jobs = await ledger.attemptsOf({ workflowId, runId, phase, purpose: 'evaluate' });
    const failures = await ledger.incidentsOf({ runId, phase, purpose: 'evaluate' });
    for (const { number, state, request } of jobs) {
      const failure = failures.find(({ attempt }) => attempt === number);
      const because = failure === undefined ? '' : sentenceOfClass(failure.class, failure.because);
      for (const key of askedBy(request)) missing.set(textOf(key), { ...key, phase, job: number, state, because });
    }
  }
  const asked = [...missing.values()];
  const have = await ledger.evaluationKeysOf([...new Set(asked.map(({ checkpoint }) => checkpoint))]);
  for (const key of have) missing.delete(textOf(key));
  return [...missing.values()].filter((one) => benchmark === undefined || one.benchmark === benchmark);
}

/** Of a request as evaluations.ts writes it. */
function askedBy(request: unknown): readonly EvaluationKey[] {
  const { evaluations = [] } = (request ?? {}) as {
    evaluations?: readonly {
      checkpoint: { id: string };
      benchmark: { name: string; version: number };
      seed: number;
    }[];
  };
  return evaluations.map(({ checkpoint, benchmark, seed }) => ({
    checkpoint: checkpoint.id,
    benchmark: benchmark.name,
    version: benchmark.version,
    seed,
  }));
}

const textOf = ({ checkpoint, benchmark, version, seed }: EvaluationKey): string =>
  JSON.stringify([checkpoint, benchmark, version, seed]);
