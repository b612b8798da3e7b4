/**
 * What the pages of open pipelines have to show when something comes in from outside, or is taken back: a score, or outcomes of another harness.
 *
 * Covers the pipelines that made the checkpoints. Does not cover telling them (workflows/tell-pages.ts).
 */
import type { LeaderboardRow, RowInput } from '../decisions/leaderboard.ts';
import type { ScoreKey } from '../decisions/scores.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import { scoreKeyText, type ShownScores } from '../decisions/shown-scores.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { outsideOfPipeline } from './outside-of-pipeline.ts';
import { rowsInTurn } from './rows-in-turn.ts';

/** Evaluations that are looked at for how many problems a benchmark has. */
const mostEvaluations = 2000;

/** `changed`: what came in or went, by its benchmark; each of one of the checkpoints. */
export async function shownScores(
  { ledger, now }: Pick<ReadingDependencies, 'ledger' | 'now'>,
  {
    checkpoints,
    changed,
  }: { readonly checkpoints: readonly CheckpointRecord[]; readonly changed: readonly ScoreKey[] },
): Promise<readonly ShownScores[]> {
  const shown: ShownScores[] = [];
  for (const [workflowId, own] of Map.groupBy(checkpoints, (one) => one.workflowId)) {
    // What an earlier run made is shown by the one that is open.
    const [newest] = await ledger.pipelines({ workflowId, limit: 1 });
    if (newest?.endedAt !== null) continue;
    const { runId } = newest;
    const { evaluated, others } = await byEvaluated(ledger, own, changed);
    const rows: LeaderboardRow[] = [];
    for (const checkpoint of own) rows.push(...(await rowsOf(ledger, checkpoint, evaluated)));
    // What has a row is named last: of many keys some are left out.
    const keys = [...others, ...evaluated];
    const outside = await outsideOfPipeline(ledger, { runId, asOf: now().toISOString(), changed: keys });
    shown.push({ pipelineId: workflowId, runId, rows, outside });
  }
  return shown;
}

/** Of these checkpoints, each once: outcomes are loaded of what has some, since those of a checkpoint may be many. */
async function byEvaluated(
  ledger: Ledger,
  checkpoints: readonly CheckpointRecord[],
  changed: readonly ScoreKey[],
): Promise<{ readonly evaluated: readonly ScoreKey[]; readonly others: readonly ScoreKey[] }> {
  const ids = checkpoints.map(({ id }) => id);
  const own = new Map(
    changed.filter(({ checkpoint }) => ids.includes(checkpoint)).map((key) => [scoreKeyText(key), key]),
  );
  const have = new Set((await ledger.evaluationKeysOf(ids)).map(scoreKeyText));
  const [evaluated, others] = [true, false].map((wanted) =>
    [...own].flatMap(([name, key]) => (have.has(name) === wanted ? key : [])),
  );
  return { evaluated: evaluated ?? [], others: others ?? [] };
}

/** Where there are evaluations. */
async function rowsOf(
  ledger: Ledger,
  checkpoint: CheckpointRecord,
  changed: readonly ScoreKey[],
): Promise<readonly LeaderboardRow[]> {
  const own = changed.filter((key) => key.checkpoint === checkpoint.id);
  if (own.length === 0) return [];
  const evaluations = await ledger.evaluationsOf([
    checkpoint.id,
    ...(checkpoint.parent === null ? [] : [checkpoint.parent]),
  ]);
  const inputs: RowInput[] = [];
  for (const key of own) {
    const totals = await ledger.evaluationTotals({ benchmark: key.benchmark, limit: mostEvaluations });
    const problems = await ledger.problemCountOf(totals.filter(({ version }) => version === key.version));
    inputs.push({ checkpoint, key, evaluations, problems, verdict: undefined });
  }
  return await rowsInTurn(inputs);
}
