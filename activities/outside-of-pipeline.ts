/**
 * Scores from outside of many checkpoints, as rows: those of a pipeline in the order of its checkpoints.
 *
 * Does not cover what a row says (decisions/outside-rows.ts).
 */
import { outsideRows } from '../decisions/outside-rows.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { PipelineRecord } from '../store/ledger/pipelines.ts';
import type { LedgerOutsideRow } from '../workflows/contract-questions.ts';
import type { ScoreKey } from '../decisions/scores.ts';
import { type OutsideOfPipeline, toldOutside } from '../decisions/shown-scores.ts';
import { workOf } from './named-run.ts';
import { byAttempt, checkpointsOfWork } from './same-work.ts';

/** `asOf`: now. `changed`: what came in or went; left out: the newest are told. */
export async function outsideOfPipeline(
  ledger: Ledger,
  {
    runId,
    asOf,
    changed,
  }: Pick<PipelineRecord, 'runId'> & Pick<OutsideOfPipeline, 'asOf'> & { readonly changed?: readonly ScoreKey[] },
): Promise<OutsideOfPipeline> {
  const phases = await ledger.phasesOf(runId);
  const works = await Promise.all(phases.map((record) => workOf(ledger, record)));
  const ids = await checkpointsOf(ledger, works);
  const scores = await ledger.outsideScoresOf(ids);
  const rows = await outsideRowsOf(ledger, ids, scores);
  const ofPage = rows.map(({ pipeline: _, ...row }) => row);
  return toldOutside(ofPage, { changed: changed ?? null, asOf });
}

/** In the order of the phases, each led by what it started from. */
export async function checkpointsOf(
  ledger: Ledger,
  works: readonly Awaited<ReturnType<typeof workOf>>[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    works.map(async (work) => {
      const own = [...(await ledger.checkpointsOf(work)), ...(await checkpointsOfWork(ledger, work))];
      return own.sort(byAttempt);
    }),
  );
  const ids = found.flatMap((own) => [...own.flatMap(({ parent }) => parent ?? []), ...own.map(({ id }) => id)]);
  return [...new Set(ids)];
}

/** In the order of the ids. */
export async function outsideRowsOf(
  ledger: Ledger,
  ids: readonly string[],
  scores: Awaited<ReturnType<Ledger['outsideScoresOf']>>,
): Promise<readonly LedgerOutsideRow[]> {
  const scored = new Set(scores.map(({ checkpoint }) => checkpoint));
  const records: CheckpointRecord[] = [];
  for (const id of ids.filter((one) => scored.has(one))) {
    const record = await ledger.checkpoint(id);
    if (record !== null) records.push(record);
  }
  const pipelines = new Map(records.map(({ id, workflowId }) => [id, workflowId]));
  return outsideRows(records, scores).map((row) => ({ pipeline: pipelines.get(row.checkpoint) ?? '', ...row }));
}
