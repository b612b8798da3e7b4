/**
 * The ledger: everything that is known of pipelines, phases, attempts, checkpoints, benchmarks, evaluations, scores from
 * outside and what was taken back of them, incidents, decisions, verdicts, notifications, nodes that failed and sweeps.
 *
 * Takes any Kysely database with the tables of migrations/. Does not open one (sqlite.ts, postgres.ts).
 */
import type { Kysely } from 'kysely';
import { type AttemptLedger, attemptLedger } from './attempts.ts';
import { type BenchmarkLedger, benchmarkLedger } from './benchmarks.ts';
import { type CheckpointLedger, checkpointLedger } from './checkpoints.ts';
import { type CheckpointUseLedger, checkpointUseLedger } from './checkpoint-uses.ts';
import { type DecisionLedger, decisionLedger } from './decisions.ts';
import { type EvaluationLedger, evaluationLedger } from './evaluations.ts';
import { type EvaluationTotalsLedger, evaluationTotalsLedger } from './evaluation-totals.ts';
import { type IncidentLedger, incidentLedger } from './incidents.ts';
import { type NodeLedger, nodeLedger } from './nodes.ts';
import { type NotificationLedger, notificationLedger } from './notifications.ts';
import { type OutsideScoreLedger, outsideScoreLedger } from './outside-scores.ts';
import { type PhaseLedger, phaseLedger } from './phases.ts';
import { type PinLedger, pinLedger } from './pins.ts';
import { type PipelineLedger, pipelineLedger } from './pipelines.ts';
import { type SweepLedger, sweepLedger } from './sweeps.ts';
import { type WithdrawalLedger, withdrawalLedger } from './withdrawals.ts';
import type { LedgerTables } from './schema.ts';

export interface Ledger
  extends
    PipelineLedger,
    PhaseLedger,
    AttemptLedger,
    CheckpointLedger,
    CheckpointUseLedger,
    PinLedger,
    BenchmarkLedger,
    EvaluationLedger,
    EvaluationTotalsLedger,
    OutsideScoreLedger,
    IncidentLedger,
    DecisionLedger,
    NodeLedger,
    NotificationLedger,
    SweepLedger,
    WithdrawalLedger {
  /** Closes the database. */
  close(): Promise<void>;
}

/** The ledger over a migrated database. */
export function createLedger(db: Kysely<LedgerTables>): Ledger {
  return {
    ...pipelineLedger(db),
    ...phaseLedger(db),
    ...attemptLedger(db),
    ...checkpointLedger(db),
    ...checkpointUseLedger(db),
    ...pinLedger(db),
    ...benchmarkLedger(db),
    ...evaluationLedger(db),
    ...evaluationTotalsLedger(db),
    ...outsideScoreLedger(db),
    ...incidentLedger(db),
    ...decisionLedger(db),
    ...nodeLedger(db),
    ...notificationLedger(db),
    ...sweepLedger(db),
    ...withdrawalLedger(db),
    close: () => db.destroy(),
  };
}
