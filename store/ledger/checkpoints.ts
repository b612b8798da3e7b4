/**
 * Checkpoints in the ledger: where they lie, what they came from, and how far they were verified.
 *
 * A row is written once; afterwards only its level (complete → sealed), its pin and when it was pruned (pins.ts), and facts that were not
 * known yet may change. Does not cover reading the store (../checkpoints.ts).
 */
import type { Kysely, Selectable } from 'kysely';
import { TemperError } from '../../decisions/errors.ts';
import type { CheckpointFact, CheckpointFormat } from '../../decisions/evaluation.ts';
import type { CheckpointLevel, LedgerTables } from './schema.ts';

export interface NewCheckpoint extends CheckpointFact {
  readonly workflowId: string;
  readonly runId: string;
  readonly attempt: number;
  /** Absolute. */
  readonly path: string;
  readonly format: CheckpointFormat;
  /** For peft: absolute path of the full model below the adapter. */
  readonly base: string | null;
  readonly bytes: number;
  /** Optimizer, scheduler and random state are there: training can go on from it exactly. */
  readonly resumable: boolean;
  /** Every loss and gradient norm up to its step was finite. */
  readonly finite: boolean;
  /** ISO 8601. */
  readonly at: string;
}

export interface CheckpointRecord extends CheckpointFact {
  readonly workflowId: string;
  readonly runId: string;
  readonly attempt: number;
  readonly path: string;
  readonly format: CheckpointFormat;
  readonly base: string | null;
  readonly bytes: number;
  readonly resumable: boolean;
  readonly finite: boolean;
  readonly level: CheckpointLevel;
  readonly digest: string | null;
  readonly weights: string | null;
  readonly pinned: boolean;
  readonly createdAt: string;
  /** When it was given up to pruning; null while it is to stay. */
  readonly prunedAt: string | null;
}

export interface CheckpointLedger {
  /** Idempotent. Throws `ledger-conflict` when the id is known under another path or step. */
  recordCheckpoint(checkpoint: NewCheckpoint): Promise<CheckpointRecord>;
  checkpoint(id: string): Promise<CheckpointRecord | null>;
  /** The one that lies, or lay, there. */
  checkpointAt(path: string): Promise<CheckpointRecord | null>;
  /** Of every attempt of the phase in this run, by attempt and step. */
  checkpointsOf(of: { readonly runId: string; readonly phase: string }): Promise<readonly CheckpointRecord[]>;
  /** Records its digests. Idempotent; throws `ledger-conflict` when it was sealed with another digest. */
  sealCheckpoint(seal: {
    readonly id: string;
    readonly digest: string;
    readonly weights: string | null;
  }): Promise<CheckpointRecord>;
}

function asRecord(row: Selectable<LedgerTables['checkpoints']>): CheckpointRecord {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    runId: row.run_id,
    phase: row.phase,
    attempt: row.attempt,
    step: row.step,
    parent: row.parent_id,
    path: row.path,
    format: row.format,
    base: row.base,
    level: row.level,
    digest: row.digest,
    weights: row.weights,
    bytes: row.bytes,
    resumable: row.resumable === 1,
    finite: row.finite === 1,
    pinned: row.pinned === 1,
    createdAt: row.created_at,
    prunedAt: row.pruned_at,
  };
}

async function existing(db: Kysely<LedgerTables>, id: string): Promise<CheckpointRecord> {
  const row = await db.selectFrom('checkpoints').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new TemperError('not-found', `no checkpoint "${id}" is in the ledger`);
  return asRecord(row);
}

async function recordCheckpoint(db: Kysely<LedgerTables>, fresh: NewCheckpoint): Promise<CheckpointRecord> {
  await db
    .insertInto('checkpoints')
    .values({
      id: fresh.id,
      workflow_id: fresh.workflowId,
      run_id: fresh.runId,
      phase: fresh.phase,
      attempt: fresh.attempt,
      step: fresh.step,
      parent_id: fresh.parent,
      path: fresh.path,
      format: fresh.format,
      base: fresh.base,
      level: 'complete',
      digest: null,
      weights: null,
      bytes: fresh.bytes,
      resumable: fresh.resumable ? 1 : 0,
      finite: fresh.finite ? 1 : 0,
      pinned: 0,
      created_at: fresh.at,
      pruned_at: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const record = await existing(db, fresh.id);
  if (record.path !== fresh.path || record.step !== fresh.step || record.format !== fresh.format) {
    throw new TemperError('ledger-conflict', `checkpoint "${fresh.id}" is already recorded as ${record.path}`, {
      details: { fresh, record },
    });
  }
  return record;
}

export function checkpointLedger(db: Kysely<LedgerTables>): CheckpointLedger {
  return {
    recordCheckpoint: (fresh) => recordCheckpoint(db, fresh),
    async checkpoint(id) {
      const row = await db.selectFrom('checkpoints').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : asRecord(row);
    },
    async checkpointAt(path) {
      const row = await db.selectFrom('checkpoints').selectAll().where('path', '=', path).executeTakeFirst();
      return row === undefined ? null : asRecord(row);
    },
    async checkpointsOf({ runId, phase }) {
      const rows = await db
        .selectFrom('checkpoints')
        .selectAll()
        .where('run_id', '=', runId)
        .where('phase', '=', phase)
        .orderBy('attempt')
        .orderBy('step')
        .execute();
      return rows.map(asRecord);
    },
    async sealCheckpoint({ id, digest, weights }) {
      await db
        .updateTable('checkpoints')
        .set({ level: 'sealed', digest, weights })
        .where('id', '=', id)
        .where('digest', 'is', null)
        .execute();
      const record = await existing(db, id);
      if (record.digest !== digest) {
        throw new TemperError(
          'ledger-conflict',
          `checkpoint "${id}" was sealed with another digest: its files have changed`,
          {
            details: { was: record.digest, now: digest },
          },
        );
      }
      return record;
    },
  };
}
