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
import type { OutsideScore, ToldScore } from '../decisions/outside-score.ts';
import { scoreEntry, sentenceOfScore, textOfScore } from '../decisions/score-entry.ts';
import { benchmarkOf } from '../decisions/stage-benchmark.ts';
import { minuteOf } from '../decisions/utc-minute.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { RecordedScore } from '../workflows/contract-questions.ts';
import { childIds } from '../workflows/contract.ts';
import { claimBenchmarks } from './benchmark-definitions.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { findPipeline } from './named-run.ts';
import { findCheckpoint } from './named-checkpoint.ts';

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
  const benchmark = await outsideBenchmark(ledger, { name: input.benchmark, checkpoint, pipeline });
  const told = scoreEntry({ ...input, checkpoint: checkpoint.id }, benchmark);
  const corrects = input.corrects ?? null;
  if (corrects !== null && (await ledger.outsideScore(corrects)) === null)
    throw new TemperError('not-found', `corrects: no score "${corrects}" is in the ledger`);
  const at = now().toISOString();
  await claimOutside(ledger, { name: told.benchmark, benchmark, at });
  const { note = '', by = '' } = input;
  return await recordTold(ledger, told, { by, note, corrects, at });
}

/** From now on it means what is said here. Throws `invalid-input` where it meant something else. */
export async function claimOutside(
  ledger: Ledger,
  { name, benchmark, at }: { readonly name: string; readonly benchmark: OutsideBenchmark; readonly at: string },
): Promise<void> {
  await claimBenchmarks(ledger, { benchmarks: { [name]: benchmark }, dataDigests: {} }, { names: new Set([name]), at });
}

/** On a benchmark that is claimed. Throws `ledger-conflict` where what it corrects was corrected before. */
export async function recordTold(
  ledger: Ledger,
  told: ToldScore,
  said: Pick<OutsideScore, 'by' | 'note' | 'corrects' | 'at'>,
): Promise<RecordedScore> {
  const { corrects } = said;
  const id = createHash('sha256').update(textOfScore(told, corrects)).digest('hex').slice(0, 12);
  const { recorded, score } = await ledger.recordOutsideScore({ ...told, ...said, id });
  if (score.id !== id) {
    const message = `corrects: score "${String(corrects)}" was corrected before, by "${score.id}": correct that one`;
    throw new TemperError('ledger-conflict', message);
  }
  const wakes = await phasesThatLookAt(ledger, told.benchmark);
  return { answer: 'record-score', id, recorded, sentence: sentenceOf(score, recorded), wakes };
}

function sentenceOf(score: OutsideScore, recorded: boolean): string {
  const what = `${sentenceOfScore(score)} of ${score.checkpoint}`;
  if (recorded)
    return `Recorded as ${score.id}${score.corrects === null ? '' : `, in place of ${score.corrects}`}: ${what}.`;
  const who = score.by === '' ? '' : ` by ${score.by}`;
  return `Nothing new: ${what} was recorded as ${score.id}${who} at ${minuteOf(score.at)} UTC. Another run with the same score needs a source of its own.`;
}

/** What a score of this name counts on: by the recipe of the pipeline; where that does not name it, as whoever waits for it has it. */
export async function outsideBenchmark(
  ledger: Ledger,
  of: { readonly name: string; readonly checkpoint: CheckpointRecord; readonly pipeline: string | undefined },
): Promise<OutsideBenchmark> {
  const { benchmarks } = await recipeOf(ledger, of);
  const own = benchmarks[of.name];
  if (own !== undefined && isOutside(own)) return own;
  if (own !== undefined) {
    const message = `benchmark: jobs evaluate "${of.name}" themselves; a score from outside counts on one that the recipe has with "outside: true"`;
    throw new TemperError('invalid-input', message);
  }
  const kept = (await ledger.definitionsOf(of.name)).find(({ definition }) => isOutsideDefinition(definition));
  if (kept !== undefined) {
    const { problems } = JSON.parse(kept.definition) as Pick<OutsideBenchmark, 'problems'>;
    return { outside: true, version: kept.version, problems };
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

/** Workflow ids of the open phases whose gates name it. */
async function phasesThatLookAt(ledger: Ledger, benchmark: string): Promise<readonly string[]> {
  const open = await ledger.openPhases();
  const looking = open.filter(({ identityText }) => {
    const { gate } = JSON.parse(identityText) as { readonly gate: readonly GateStage[] };
    return gate.some((stage) => benchmarkOf(stage) === benchmark);
  });
  return [...new Set(looking.map(({ workflowId, phase }) => childIds.phase(workflowId, phase)))];
}
