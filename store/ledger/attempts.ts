/**
 * Attempts in the ledger: their numbers and their states.
 *
 * A number is reserved once per workflow id, phase and purpose and never used again, also after the workflow id is started anew.
 * Does not cover directories (run-directory.ts) or why an attempt failed (incidents.ts).
 */
import type { Kysely, Selectable } from 'kysely';
import { TemperError } from '../../decisions/errors.ts';
import type { Evidence } from '../../decisions/failure.ts';
import type { AttemptState } from '../../decisions/states.ts';
import type { AttemptPurpose, LedgerTables } from './schema.ts';

export interface AttemptKey {
  /** The pipeline workflow's id. */
  readonly workflowId: string;
  readonly phase: string;
  readonly purpose: AttemptPurpose;
  readonly number: number;
}

export interface Reservation {
  readonly workflowId: string;
  readonly runId: string;
  readonly phase: string;
  readonly purpose: AttemptPurpose;
  /** Names this very wish: whoever asks again with it gets the same number. For example run id, phase and count of attempts so far. */
  readonly reservationKey: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface AttemptFields {
  readonly state: AttemptState;
  readonly at: string;
  readonly jobName?: string;
  readonly jobUid?: string;
  readonly directory?: string;
  /** What was asked of the trainer, kept as JSON. */
  readonly request?: unknown;
  /** Of its job. */
  readonly gpus?: number;
  /** How it ended, kept as JSON. */
  readonly evidence?: Evidence;
}

export interface AttemptRecord extends AttemptKey {
  readonly runId: string;
  readonly state: AttemptState;
  readonly jobName: string | null;
  readonly jobUid: string | null;
  readonly directory: string | null;
  readonly request: unknown;
  readonly evidence: Evidence | null;
  /** Of its job; null for an attempt from before they were kept. */
  readonly gpus: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | null;
}

export interface AttemptLedger {
  /** The next number of this workflow id, phase and purpose; the same one for the same reservation key. */
  reserveAttempt(reservation: Reservation): Promise<AttemptRecord>;
  /** Throws `ledger-conflict` when the attempt was never reserved, or is over and the new state is another. */
  changeAttempt(key: AttemptKey, change: AttemptFields): Promise<AttemptRecord>;
  /**
   * Moves a living attempt forward to what its job does now; false, and nothing is written, when it is there already, further, or over.
   */
  advanceAttempt(
    key: AttemptKey,
    to: { readonly state: (typeof liveStates)[number]; readonly at: string },
  ): Promise<boolean>;
  /** By number; of one run, or of every run of the workflow id. */
  attemptsOf(of: {
    readonly workflowId: string;
    readonly phase: string;
    /** @default 'train' */
    readonly purpose?: AttemptPurpose;
    readonly runId?: string;
  }): Promise<readonly AttemptRecord[]>;
  /** Attempts that are not over, of every pipeline: for the reaper. */
  liveAttempts(): Promise<readonly AttemptRecord[]>;
}

/** In the order in which a job goes through them. */
const liveStates = ['queued', 'starting', 'running', 'stopping'] as const satisfies readonly AttemptState[];
const isLive = (state: AttemptState) => (liveStates as readonly AttemptState[]).includes(state);

function asRecord(row: Selectable<LedgerTables['attempts']>): AttemptRecord {
  return {
    workflowId: row.workflow_id,
    phase: row.phase,
    purpose: row.purpose,
    number: row.number,
    runId: row.run_id,
    state: row.state,
    jobName: row.job_name,
    jobUid: row.job_uid,
    directory: row.directory,
    request: row.request === null ? null : (JSON.parse(row.request) as unknown),
    evidence: row.evidence === null ? null : (JSON.parse(row.evidence) as Evidence),
    gpus: row.gpus,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  };
}

/** One statement, so that two workers at once get two numbers; on PostgreSQL the loser sees a unique violation and tries again. */
async function insertNext(db: Kysely<LedgerTables>, reservation: Reservation): Promise<void> {
  const { workflowId, phase, purpose, runId, reservationKey, at } = reservation;
  await db
    .insertInto('attempts')
    .columns([
      'workflow_id',
      'phase',
      'purpose',
      'run_id',
      'reservation_key',
      'state',
      'created_at',
      'updated_at',
      'number',
    ])
    .expression((build) =>
      build
        .selectFrom('attempts')
        .where('workflow_id', '=', workflowId)
        .where('phase', '=', phase)
        .where('purpose', '=', purpose)
        .select((select) => [
          select.val(workflowId).as('workflow_id'),
          select.val(phase).as('phase'),
          select.val(purpose).as('purpose'),
          select.val(runId).as('run_id'),
          select.val(reservationKey).as('reservation_key'),
          select.val('queued' as const).as('state'),
          select.val(at).as('created_at'),
          select.val(at).as('updated_at'),
          select(select.fn.coalesce(select.fn.max('number'), select.lit(0)), '+', select.lit(1)).as('number'),
        ]),
    )
    .onConflict((conflict) => conflict.column('reservation_key').doNothing())
    .execute();
}

async function reserveAttempt(db: Kysely<LedgerTables>, reservation: Reservation): Promise<AttemptRecord> {
  const found = () =>
    db.selectFrom('attempts').selectAll().where('reservation_key', '=', reservation.reservationKey).executeTakeFirst();
  let cause: unknown = null;
  for (let tries = 0; tries < 20; tries += 1) {
    const row = await found();
    if (row !== undefined) {
      if (
        row.workflow_id === reservation.workflowId &&
        row.phase === reservation.phase &&
        row.purpose === reservation.purpose
      ) {
        return asRecord(row);
      }
      throw new TemperError('ledger-conflict', `reservation "${reservation.reservationKey}" belongs to another phase`, {
        details: row,
      });
    }
    try {
      await insertNext(db, reservation);
    } catch (error) {
      cause = error;
    }
  }
  throw new TemperError('store-unavailable', `no attempt number could be reserved for phase "${reservation.phase}"`, {
    cause,
  });
}

async function changeAttempt(db: Kysely<LedgerTables>, key: AttemptKey, change: AttemptFields): Promise<AttemptRecord> {
  const row = await db
    .updateTable('attempts')
    .set({
      state: change.state,
      updated_at: change.at,
      ...(change.jobName === undefined ? {} : { job_name: change.jobName }),
      ...(change.jobUid === undefined ? {} : { job_uid: change.jobUid }),
      ...(change.directory === undefined ? {} : { directory: change.directory }),
      ...(change.request === undefined ? {} : { request: JSON.stringify(change.request) }),
      ...(change.gpus === undefined ? {} : { gpus: change.gpus }),
      ...(change.evidence === undefined ? {} : { evidence: JSON.stringify(change.evidence) }),
      ...(isLive(change.state) ? {} : { ended_at: change.at }),
    })
    .where('workflow_id', '=', key.workflowId)
    .where('phase', '=', key.phase)
    .where('purpose', '=', key.purpose)
    .where('number', '=', key.number)
    .where('state', 'in', liveStates)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return asRecord(row);
  const now = await db
    .selectFrom('attempts')
    .selectAll()
    .where('workflow_id', '=', key.workflowId)
    .where('phase', '=', key.phase)
    .where('purpose', '=', key.purpose)
    .where('number', '=', key.number)
    .executeTakeFirst();
  const name = `attempt ${String(key.number)} (${key.purpose}) of phase "${key.phase}" of "${key.workflowId}"`;
  if (now === undefined) throw new TemperError('ledger-conflict', `${name} was never reserved`);
  if (now.state === change.state) return asRecord(now);
  throw new TemperError('ledger-conflict', `${name} is over (${now.state}) and cannot become ${change.state}`);
}

export function attemptLedger(db: Kysely<LedgerTables>): AttemptLedger {
  return {
    reserveAttempt: (reservation) => reserveAttempt(db, reservation),
    changeAttempt: (key, change) => changeAttempt(db, key, change),
    async advanceAttempt(key, { state, at }) {
      const earlier = liveStates.slice(0, liveStates.indexOf(state));
      if (earlier.length === 0) return false;
      const { numUpdatedRows } = await db
        .updateTable('attempts')
        .set({ state, updated_at: at })
        .where('workflow_id', '=', key.workflowId)
        .where('phase', '=', key.phase)
        .where('purpose', '=', key.purpose)
        .where('number', '=', key.number)
        .where('state', 'in', earlier)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async attemptsOf({ workflowId, phase, purpose = 'train', runId }) {
      let query = db
        .selectFrom('attempts')
        .selectAll()
        .where('workflow_id', '=', workflowId)
        .where('phase', '=', phase)
        .where('purpose', '=', purpose);
      if (runId !== undefined) query = query.where('run_id', '=', runId);
      return (await query.orderBy('number').execute()).map(asRecord);
    },
    async liveAttempts() {
      const rows = await db
        .selectFrom('attempts')
        .selectAll()
        .where('state', 'in', liveStates)
        .orderBy('created_at')
        .execute();
      return rows.map(asRecord);
    },
  };
}
