/**
 * Incidents in the ledger: one per failed attempt, with all the evidence it was classified by. Append only.
 *
 * Does not cover naming the class (decisions/classify.ts).
 */
import type { Kysely } from 'kysely';
import type { Evidence, Incident } from '../../decisions/failure.ts';
import type { AttemptPurpose, LedgerTables } from './schema.ts';

export interface NewIncident {
  readonly workflowId: string;
  readonly runId: string;
  readonly phase: string;
  /** @default 'train' */
  readonly purpose?: AttemptPurpose;
  readonly incident: Incident;
  readonly evidence: Evidence;
  readonly at: string;
  /** What its node belongs to. @default none: nobody remembers the node */
  readonly cluster?: string | undefined;
}

export interface IncidentRecord {
  readonly workflowId: string;
  readonly runId: string;
  readonly phase: string;
  readonly purpose: AttemptPurpose;
  readonly incident: Incident;
  readonly evidence: Evidence;
  readonly at: string;
}

/** Whose incidents; without a phase those of the whole run. */
export interface IncidentFilter {
  readonly runId: string;
  readonly phase?: string;
  /** @default 'train' */
  readonly purpose?: AttemptPurpose;
}

export interface IncidentLedger {
  /** Returns the attempt's first incident: a second record of the same attempt changes nothing. */
  recordIncident(incident: NewIncident): Promise<Incident>;
  /** In the order of attempts. Only of this run: a workflow id started anew begins without charges. */
  incidentsOf(filter: IncidentFilter): Promise<readonly Incident[]>;
  /** The same with evidence and times, in the order they happened. */
  incidentRecordsOf(filter: IncidentFilter): Promise<readonly IncidentRecord[]>;
  /** Of one attempt; null when it did not fail. */
  incidentRecordOf(filter: Required<IncidentFilter> & { readonly attempt: number }): Promise<IncidentRecord | null>;
}

export function incidentLedger(db: Kysely<LedgerTables>): IncidentLedger {
  const select = ({ runId, phase, purpose = 'train' }: IncidentFilter) => {
    const query = db.selectFrom('incidents').selectAll().where('run_id', '=', runId).where('purpose', '=', purpose);
    return (phase === undefined ? query : query.where('phase', '=', phase)).orderBy('created_at').orderBy('attempt');
  };
  return {
    async recordIncident({ workflowId, runId, phase, purpose = 'train', incident, evidence, at, cluster }) {
      const attempt = incident.attempt;
      await db
        .insertInto('incidents')
        .values({
          workflow_id: workflowId,
          phase,
          purpose,
          attempt,
          run_id: runId,
          class: incident.class,
          incident: JSON.stringify(incident),
          evidence: JSON.stringify(evidence),
          created_at: at,
          cluster: cluster ?? null,
          node: cluster === undefined || incident.node === '' ? null : incident.node,
        })
        .onConflict((conflict) => conflict.columns(['workflow_id', 'phase', 'purpose', 'attempt']).doNothing())
        .execute();
      const row = await db
        .selectFrom('incidents')
        .select('incident')
        .where('workflow_id', '=', workflowId)
        .where('phase', '=', phase)
        .where('purpose', '=', purpose)
        .where('attempt', '=', attempt)
        .executeTakeFirstOrThrow();
      return JSON.parse(row.incident) as Incident;
    },
    async incidentsOf(filter) {
      const rows = await select(filter).execute();
      return rows.sort((one, other) => one.attempt - other.attempt).map((row) => JSON.parse(row.incident) as Incident);
    },
    async incidentRecordsOf(filter) {
      return (await select(filter).execute()).map(asRecord);
    },
    async incidentRecordOf({ attempt, ...filter }) {
      const row = await select(filter).where('attempt', '=', attempt).executeTakeFirst();
      return row === undefined ? null : asRecord(row);
    },
  };
}

function asRecord(row: LedgerTables['incidents']): IncidentRecord {
  return {
    workflowId: row.workflow_id,
    runId: row.run_id,
    phase: row.phase,
    purpose: row.purpose,
    incident: JSON.parse(row.incident) as Incident,
    evidence: JSON.parse(row.evidence) as Evidence,
    at: row.created_at,
  };
}
