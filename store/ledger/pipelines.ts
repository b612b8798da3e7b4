/**
 * Pipelines in the ledger: one row per run of a pipeline workflow.
 *
 * Covers the start and the end of a run. Does not cover its phases (phases.ts). A workflow id started anew is a new run.
 */
import type { Kysely } from 'kysely';
import type { PhaseState } from '../../decisions/states.ts';
import type { LedgerTables } from './schema.ts';

export interface PipelineStart {
  readonly workflowId: string;
  /** Run id of the pipeline workflow: everything this run records carries it. */
  readonly runId: string;
  readonly recipe: string;
  /** Digest of what is trained. */
  readonly identity: string;
  /** The recipe as it was resolved, kept as JSON. */
  readonly resolved: unknown;
  /** ISO 8601. */
  readonly at: string;
}

export type PipelineOutcome = Extract<PhaseState, 'completed' | 'rejected' | 'failed' | 'cancelled'>;

export interface PipelineRecord {
  readonly workflowId: string;
  readonly runId: string;
  readonly recipe: string;
  readonly identity: string;
  readonly resolved: unknown;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly outcome: PipelineOutcome | null;
}

export interface PipelineLedger {
  /** Records that a run began. Doing it again changes nothing. */
  openPipeline(start: PipelineStart): Promise<void>;
  /** Records how a run ended. The first end stays, unless a phase goes on after it (phases.ts). */
  recordPipelineEnd(end: {
    readonly runId: string;
    readonly outcome: PipelineOutcome;
    readonly at: string;
  }): Promise<void>;
  /** Newest runs first, of one workflow id or of all. @default limit 20 */
  pipelines(filter?: { readonly workflowId?: string; readonly limit?: number }): Promise<readonly PipelineRecord[]>;
}

export function pipelineLedger(db: Kysely<LedgerTables>): PipelineLedger {
  return {
    async openPipeline(start) {
      await db
        .insertInto('pipelines')
        .values({
          run_id: start.runId,
          workflow_id: start.workflowId,
          recipe: start.recipe,
          identity: start.identity,
          resolved: JSON.stringify(start.resolved ?? null),
          started_at: start.at,
          ended_at: null,
          outcome: null,
        })
        .onConflict((conflict) => conflict.column('run_id').doNothing())
        .execute();
    },
    async recordPipelineEnd({ runId, outcome, at }) {
      await db
        .updateTable('pipelines')
        .set({ outcome, ended_at: at })
        .where('run_id', '=', runId)
        .where('ended_at', 'is', null)
        .execute();
    },
    async pipelines({ workflowId, limit = 20 } = {}) {
      let query = db.selectFrom('pipelines').selectAll();
      if (workflowId !== undefined) query = query.where('workflow_id', '=', workflowId);
      const rows = await query.orderBy('started_at', 'desc').limit(limit).execute();
      return rows.map((row) => ({
        workflowId: row.workflow_id,
        runId: row.run_id,
        recipe: row.recipe,
        identity: row.identity,
        resolved: JSON.parse(row.resolved) as unknown,
        startedAt: row.started_at,
        endedAt: row.ended_at,
        outcome: row.outcome as PipelineOutcome | null,
      }));
    },
  };
}
