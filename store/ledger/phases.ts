/**
 * Phases in the ledger: their state, what they train (identity), and the checkpoint they promoted.
 *
 * Covers finding a finished phase of the same identity, so that nothing finished is redone. Does not cover whether its
 * checkpoint still lies on the store: whoever reuses it verifies its seal.
 */
import type { Kysely, Selectable } from 'kysely';
import type { PhaseKind } from '../../configs/schema.ts';
import type { PhaseState } from '../../decisions/states.ts';
import type { LedgerTables } from './schema.ts';

export interface PhaseUpdate {
  readonly workflowId: string;
  readonly runId: string;
  readonly phase: string;
  /** Place in the recipe, from 0. */
  readonly position: number;
  readonly kind: PhaseKind;
  /** Digest of what is trained. */
  readonly identity: string;
  /** What was hashed, for naming the difference to a phase that is not the same. */
  readonly identityText: string;
  readonly state: PhaseState;
  /** Checkpoint id; left out: unchanged. */
  readonly promoted?: string | null;
  /** Why it is in this state, kept as JSON; left out: unchanged. */
  readonly because?: unknown;
  /** ISO 8601. */
  readonly at: string;
}

export interface PhaseRecord {
  readonly workflowId: string;
  readonly runId: string;
  readonly phase: string;
  readonly position: number;
  readonly kind: PhaseKind;
  readonly identity: string;
  readonly identityText: string;
  readonly state: PhaseState;
  readonly promoted: string | null;
  readonly because: unknown;
  readonly startedAt: string;
  readonly updatedAt: string;
}

export interface FinishedPhase extends PhaseRecord {
  readonly promoted: string;
}

/** What the last phase of a workflow id ended with. */
export interface Champion {
  readonly workflowId: string;
  readonly phase: string;
  readonly promoted: string;
}

export interface PhaseLedger {
  /** Writes the phase's state; the first write of a run creates its row. One that has not ended reopens its pipeline. */
  upsertPhase(update: PhaseUpdate): Promise<void>;
  /** In the order of the recipe. */
  phasesOf(runId: string): Promise<readonly PhaseRecord[]>;
  /** Those of this name, of all runs of a workflow id that train the same in it; the newest run first. */
  phasesOfWork(work: Pick<PhaseRecord, 'workflowId' | 'phase' | 'identity'>): Promise<readonly PhaseRecord[]>;
  /** Those that have not ended, of pipelines that have not. */
  openPhases(): Promise<readonly PhaseRecord[]>;
  /** Phases of this identity that ended with a checkpoint (rejected: the parent's), newest first. */
  findFinishedPhases(identity: string): Promise<readonly FinishedPhase[]>;
  /** The newest of `findFinishedPhases`, or null. */
  findFinishedPhase(identity: string): Promise<FinishedPhase | null>;
  /** Phases that a checkpoint goes on from: that promoted it, reused it, or rejected theirs and kept it; newest first. */
  phasesThatPromoted(checkpoint: string): Promise<readonly PhaseRecord[]>;
  /** Of each workflow id the phase that ended with a checkpoint last, those that ended last first. */
  lastFinishedPhases(limit: number): Promise<readonly Champion[]>;
  /** Completed phases of a kind, newest first, for saying what differs. @default limit 10 */
  findPhasesLike(kind: PhaseKind, limit?: number): Promise<readonly FinishedPhase[]>;
}

function asRecord(row: Selectable<LedgerTables['phases']>): PhaseRecord {
  return {
    workflowId: row.workflow_id,
    runId: row.run_id,
    phase: row.phase,
    position: row.position,
    kind: row.kind,
    identity: row.identity,
    identityText: row.identity_text,
    state: row.state,
    promoted: row.promoted,
    because: row.because === null ? null : (JSON.parse(row.because) as unknown),
    startedAt: row.started_at,
    updatedAt: row.updated_at,
  };
}

function asFinished(rows: readonly Selectable<LedgerTables['phases']>[]): FinishedPhase[] {
  return rows.map(asRecord).filter((record): record is FinishedPhase => record.promoted !== null);
}

/** Of a pipeline: what the next phase starts from. */
const endsWithCheckpoint = ['completed', 'reused', 'rejected'] as const satisfies readonly PhaseState[];

/** Newest first; of two phases that ended in one moment the later one first. */
export function lastFinishedQuery(db: Kysely<LedgerTables>, limit: number) {
  return db
    .selectFrom('phases')
    .select(['workflow_id', 'phase', 'promoted'])
    .where('state', 'in', endsWithCheckpoint)
    .where('promoted', 'is not', null)
    .where((outer) =>
      outer.not(
        outer.exists(
          outer
            .selectFrom('phases as later')
            .select('later.run_id')
            .whereRef('later.workflow_id', '=', 'phases.workflow_id')
            .where('later.state', 'in', endsWithCheckpoint)
            .where('later.promoted', 'is not', null)
            .where((eb) =>
              eb.or([
                eb('later.updated_at', '>', eb.ref('phases.updated_at')),
                eb.and([
                  eb('later.updated_at', '=', eb.ref('phases.updated_at')),
                  eb('later.position', '>', eb.ref('phases.position')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('updated_at', 'desc')
    .orderBy('position', 'desc')
    .limit(limit);
}

/** Of a phase that has not ended. */
const openStates: readonly PhaseState[] = ['waiting', 'running', 'evaluating', 'held'];

function openPhases(db: Kysely<LedgerTables>) {
  return db
    .selectFrom('pipelines')
    .innerJoin('phases', 'phases.run_id', 'pipelines.run_id')
    .selectAll('phases')
    .where('pipelines.ended_at', 'is', null)
    .where('phases.state', 'in', openStates);
}

/** A run that was reset goes on after its end. */
async function reopenPipeline(db: Kysely<LedgerTables>, runId: string): Promise<void> {
  await db
    .updateTable('pipelines')
    .set({ outcome: null, ended_at: null })
    .where('run_id', '=', runId)
    .where('ended_at', 'is not', null)
    .execute();
}

async function upsertPhase(db: Kysely<LedgerTables>, update: PhaseUpdate): Promise<void> {
  const changes = {
    state: update.state,
    updated_at: update.at,
    identity: update.identity,
    identity_text: update.identityText,
    ...(update.promoted === undefined ? {} : { promoted: update.promoted }),
    ...(update.because === undefined ? {} : { because: JSON.stringify(update.because) }),
  };
  await db
    .insertInto('phases')
    .values({
      run_id: update.runId,
      phase: update.phase,
      workflow_id: update.workflowId,
      position: update.position,
      kind: update.kind,
      promoted: null,
      because: null,
      started_at: update.at,
      ...changes,
    })
    .onConflict((conflict) => conflict.columns(['run_id', 'phase']).doUpdateSet(changes))
    .execute();
  if (openStates.includes(update.state)) await reopenPipeline(db, update.runId);
}

export function phaseLedger(db: Kysely<LedgerTables>): PhaseLedger {
  const finished = () =>
    db
      .selectFrom('phases')
      .selectAll()
      .where('state', 'in', ['completed', 'rejected'])
      .where('promoted', 'is not', null)
      .orderBy('updated_at', 'desc');
  async function findFinishedPhases(identity: string): Promise<readonly FinishedPhase[]> {
    return asFinished(await finished().where('identity', '=', identity).execute());
  }

  return {
    upsertPhase: (update) => upsertPhase(db, update),
    async phasesOf(runId) {
      const rows = await db.selectFrom('phases').selectAll().where('run_id', '=', runId).orderBy('position').execute();
      return rows.map(asRecord);
    },
    async phasesOfWork({ workflowId, phase, identity }) {
      const rows = await db
        .selectFrom('phases')
        .selectAll()
        .where('workflow_id', '=', workflowId)
        .where('phase', '=', phase)
        .where('identity', '=', identity)
        .orderBy('started_at', 'desc')
        .execute();
      return rows.map(asRecord);
    },
    async openPhases() {
      return (await openPhases(db).execute()).map(asRecord);
    },
    findFinishedPhases,
    async findFinishedPhase(identity) {
      return (await findFinishedPhases(identity))[0] ?? null;
    },
    async phasesThatPromoted(checkpoint) {
      const named = db.selectFrom('phases').selectAll().where('promoted', '=', checkpoint);
      return (await named.orderBy('updated_at', 'desc').execute()).map(asRecord);
    },
    async lastFinishedPhases(limit) {
      const rows = await lastFinishedQuery(db, limit).execute();
      return rows.map(({ workflow_id: workflowId, phase, promoted }) => ({
        ...{ workflowId, phase, promoted: promoted ?? '' },
      }));
    },
    async findPhasesLike(kind, limit = 10) {
      return asFinished(await finished().where('kind', '=', kind).limit(limit).execute());
    },
  };
}
