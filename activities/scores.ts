/**
 * Scores from outside, into the ledger exactly once, with the phases whose gates look at them.
 *
 * Covers what only the ledger knows: the checkpoint, the benchmark of its recipe, what is corrected. Does not cover what a score must
 * say (decisions/score-entry.ts) or telling the phases (workflows/wake-gates.ts).
 */
import { createHash } from 'node:crypto';
import { nearestName } from '../configs/nearest-name.ts';
import type { GateStage, OutsideBenchmark, Recipe } from '../configs/schema.ts';
import type { ScoreInput } from '../configs/schema-score.ts';
import { isOutsideDefinition } from '../decisions/benchmark-definition.ts';
import { TemperError } from '../decisions/errors.ts';
import { isOutside } from '../decisions/outside-benchmark.ts';
import { newestCorrection, type OutsideScore, type ToldScore } from '../decisions/outside-score.ts';
import { scoreEntry, sentenceOfScore, textOfScore } from '../decisions/score-entry.ts';
import { benchmarkOf } from '../decisions/stage-benchmark.ts';
import { minuteOf } from '../decisions/utc-minute.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { RecordedScore } from '../workflows/contract-questions.ts';
import { childIds } from '../workflows/contract.ts';
import { claimBenchmarks } from './benchmark-definitions.ts';
import { countedBefore, mustBeOneTask } from './harness-runs.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { findPipeline } from './named-run.ts';
import { findCheckpoint } from './named-checkpoint.ts';
import { shownScores } from './shown-scores.ts';

interface ScoreToRecord {
  readonly score: ScoreInput;
  /** Whose recipe says what the benchmark is; left out: that of the checkpoint. */
  readonly pipeline?: string | undefined;
}

export interface ScoreActivities {
  /** Throws `invalid-input`, `not-found`, and `ledger-conflict` where what it corrects was corrected before. */
  recordScore(input: ScoreToRecord): Promise<RecordedScore>;
}

export type ScoreDependencies = Pick<ReadingDependencies, 'ledger' | 'now'>;

export function scoreActivities(dependencies: ScoreDependencies): ScoreActivities {
  return { recordScore: (input) => recordScore(dependencies, input) };
}

export async function recordScore(
  { ledger, now }: ScoreDependencies,
  { score: input, pipeline }: ScoreToRecord,
): Promise<RecordedScore> {
  const { checkpoint } = await findCheckpoint(ledger, input.checkpoint);
  const corrected = input.corrects === undefined ? null : await ledger.outsideScore(input.corrects);
  if (input.corrects !== undefined && corrected === null)
    throw new TemperError('not-found', `corrects: no score "${input.corrects}" is in the ledger`);
  const countsOn = await outsideBenchmark(ledger, { name: input.benchmark, checkpoint, pipeline, corrected });
  const entry = scoreEntry({ ...input, checkpoint: checkpoint.id }, countsOn.benchmark);
  const isOfSameRun = corrected?.checkpoint === entry.checkpoint && corrected.benchmark === entry.benchmark;
  const told = isOfSameRun && corrected.run !== undefined ? { ...entry, run: corrected.run } : entry;
  const at = now().toISOString();
  await claimOutside(ledger, { name: told.benchmark, countsOn, at });
  const { note = '', by = '' } = input;
  const recorded = await recordTold(ledger, told, { by, note, corrected, at });
  const before = corrected === null ? null : await ledger.checkpoint(corrected.checkpoint);
  const checkpoints = [checkpoint, ...(before === null || before.id === checkpoint.id ? [] : [before])];
  const changed = [told, ...(corrected === null ? [] : [corrected])];
  return { ...recorded, shows: await shownScores({ ledger, now }, { checkpoints, changed }) };
}

/** From now on it means what is said here. Throws `invalid-input` where it meant something else. */
export async function claimOutside(
  ledger: Ledger,
  { name, countsOn, at }: { readonly name: string; readonly countsOn: CountsOn; readonly at: string },
): Promise<void> {
  const { benchmark, isClaimed } = countsOn;
  if (isClaimed) return;
  await claimBenchmarks(ledger, { benchmarks: { [name]: benchmark }, dataDigests: {} }, { names: new Set([name]), at });
}

/** On a benchmark that is claimed; a run of another harness counts there once. Throws `ledger-conflict` where what it corrects was corrected before. */
export async function recordTold(
  ledger: Ledger,
  told: ToldScore,
  { corrected, ...said }: Pick<OutsideScore, 'by' | 'note' | 'at'> & { readonly corrected: OutsideScore | null },
): Promise<RecordedScore> {
  const corrects = corrected?.id ?? null;
  const { kind, score } = await ledger.recordOutsideScore({ ...told, ...said, corrects }, (own) => {
    const counted = corrects === null ? countedOnce(own, told) : null;
    return counted === null ? { id: freshId(textOfScore(told, corrects), withdrawnOf(own)) } : { counted };
  });
  if (kind === 'corrected') {
    const message = `corrects: score "${corrects ?? ''}" was corrected before, by "${score.id}": correct that one`;
    throw new TemperError('ledger-conflict', message);
  }
  const recorded = kind === 'recorded';
  const wakes = await phasesThatLookAt(ledger, [told.benchmark, ...(corrected === null ? [] : [corrected.benchmark])]);
  return { answer: 'record-score', id: score.id, recorded, sentence: sentenceOf(score, recorded), wakes };
}

function countedOnce(own: readonly OutsideScore[], told: ToldScore): OutsideScore | null {
  if (told.run === undefined) return null;
  mustBeOneTask(own, [told]);
  return countedBefore(own, told);
}

/** Ids of those that were taken back, or whose correction was. */
function withdrawnOf(own: readonly OutsideScore[]): ReadonlySet<string> {
  return new Set(own.filter((one) => newestCorrection(one, own).isWithdrawn).map(({ id }) => id));
}

/** The same for whoever tells the same; another where that was withdrawn, since it is told again. */
function freshId(text: string, withdrawn: ReadonlySet<string>, times = 0): string {
  const said = times === 0 ? text : `${text} ${String(times)}`;
  const id = createHash('sha256').update(said).digest('hex').slice(0, 12);
  return withdrawn.has(id) ? freshId(text, withdrawn, times + 1) : id;
}

function sentenceOf(score: OutsideScore, recorded: boolean): string {
  const what = `${sentenceOfScore(score)} of ${score.checkpoint}`;
  if (recorded)
    return `Recorded as ${score.id}${score.corrects === null ? '' : `, in place of ${score.corrects}`}: ${what}.`;
  const who = score.by === '' ? '' : ` by ${score.by}`;
  return `Nothing new: ${what} was recorded as ${score.id}${who} at ${minuteOf(score.at)} UTC. Another run with the same score needs a source of its own.`;
}

export interface CountsOn {
  readonly benchmark: OutsideBenchmark;
  /** It is as the ledger has it. */
  readonly isClaimed: boolean;
}

/**
 * What a score of this name counts on: by the recipe of the pipeline; where that does not name it, as the ledger has it, in the version of the
 * score that is corrected.
 */
export async function outsideBenchmark(
  ledger: Ledger,
  of: {
    readonly name: string;
    readonly checkpoint: CheckpointRecord;
    readonly pipeline: string | undefined;
    readonly corrected: OutsideScore | null;
  },
): Promise<CountsOn> {
  const { benchmarks } = await recipeOf(ledger, of);
  const own = benchmarks[of.name];
  if (own !== undefined && isOutside(own)) return { benchmark: own, isClaimed: false };
  if (own !== undefined) {
    const message = `benchmark: jobs evaluate "${of.name}" themselves; a score from outside counts on one that the recipe has with "outside: true"`;
    throw new TemperError('invalid-input', message);
  }
  const known = (await ledger.definitionsOf(of.name)).filter(({ definition }) => isOutsideDefinition(definition));
  const version = of.corrected?.benchmark === of.name ? of.corrected.version : known[0]?.version;
  const kept = known.find((one) => one.version === version);
  if (kept !== undefined) {
    const { problems } = JSON.parse(kept.definition) as Pick<OutsideBenchmark, 'problems'>;
    return { benchmark: { outside: true, version: kept.version, problems }, isClaimed: true };
  }
  const names = Object.entries(benchmarks).flatMap(([name, one]) => (isOutside(one) ? [name] : []));
  const near = nearestName(of.name, names);
  const meant = near === null ? '' : `; did you mean "${near}"?`;
  throw new TemperError(
    'not-found',
    `benchmark: no "${of.name}" is scored outside${meant} There are: ${names.join(', ') || 'none'}`,
  );
}

async function recipeOf(
  ledger: Ledger,
  { checkpoint, pipeline }: { readonly checkpoint: CheckpointRecord; readonly pipeline: string | undefined },
): Promise<Pick<Recipe, 'benchmarks'>> {
  const runs = await ledger.pipelines({ workflowId: checkpoint.workflowId, limit: 100 });
  const run =
    pipeline === undefined
      ? runs.find(({ runId }) => runId === checkpoint.runId)
      : await findPipeline(ledger, pipeline);
  return (run?.resolved as { readonly recipe: Recipe } | undefined)?.recipe ?? { benchmarks: {} };
}

/** Workflow ids of the open phases whose gates name one of them. */
export async function phasesThatLookAt(ledger: Ledger, benchmarks: readonly string[]): Promise<readonly string[]> {
  const open = await ledger.openPhases();
  const looking = open.filter(({ identityText }) => {
    const { gate } = JSON.parse(identityText) as { readonly gate: readonly GateStage[] };
    return gate.some((stage) => benchmarks.includes(benchmarkOf(stage)));
  });
  return [...new Set(looking.map(({ workflowId, phase }) => childIds.phase(workflowId, phase)))];
}
