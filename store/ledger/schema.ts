/**
 * The ledger's tables as Kysely sees them. Portable between SQLite and PostgreSQL: booleans are 0 or 1, times are ISO 8601 text,
 * structured values are JSON text.
 *
 * Covers the shape of rows. Does not cover how the tables come to be (migrations/) or what may be written (the other files).
 */
import type { CheckpointFormat } from '../../decisions/evaluation.ts';
import type { FailureClass } from '../../decisions/failure.ts';
import type { NotificationEvent } from '../../decisions/notification.ts';
import type { AttemptState, PhaseState } from '../../decisions/states.ts';
import type { PhaseKind } from '../../configs/schema.ts';

export interface LedgerTables {
  pipelines: {
    run_id: string;
    workflow_id: string;
    recipe: string;
    identity: string;
    resolved: string;
    started_at: string;
    ended_at: string | null;
    outcome: string | null;
  };
  phases: {
    run_id: string;
    phase: string;
    workflow_id: string;
    position: number;
    kind: PhaseKind;
    state: PhaseState;
    identity: string;
    identity_text: string;
    promoted: string | null;
    because: string | null;
    started_at: string;
    updated_at: string;
  };
  attempts: {
    workflow_id: string;
    phase: string;
    purpose: AttemptPurpose;
    number: number;
    run_id: string;
    reservation_key: string;
    state: AttemptState;
    job_name: string | null;
    job_uid: string | null;
    directory: string | null;
    request: string | null;
    evidence: string | null;
    created_at: string;
    updated_at: string;
    ended_at: string | null;
    gpus: number | null;
  };
  checkpoints: {
    id: string;
    workflow_id: string;
    run_id: string;
    phase: string;
    attempt: number;
    step: number;
    parent_id: string | null;
    path: string;
    format: CheckpointFormat;
    base: string | null;
    level: CheckpointLevel;
    digest: string | null;
    weights: string | null;
    bytes: number;
    resumable: number;
    finite: number;
    pinned: number;
    created_at: string;
    /** When it was given up to pruning; null while it is to stay. */
    pruned_at: string | null;
  };
  benchmarks: {
    name: string;
    version: number;
    definition: string;
    created_at: string;
  };
  evaluations: {
    id: string;
    checkpoint: string;
    benchmark: string;
    version: number;
    seed: number;
    run_id: string;
    job_name: string;
    created_at: string;
  };
  outcomes: {
    evaluation_id: string;
    position: number;
    problem: string;
    samples: number;
    correct: number;
    tokens: number;
    truncated: number;
    seconds: number;
    answers: string;
    correct_answers: string;
    /** Null where the benchmark has no types, and in older rows. */
    type: string | null;
    /** Null where samples count by themselves, and in older rows. */
    voted: number | null;
    /** Null where none timed out, and in older rows. */
    timed_out: number | null;
  };
  outside_scores: {
    id: string;
    checkpoint: string;
    benchmark: string;
    version: number;
    told: string;
    recorded_by: string;
    note: string;
    corrects: string | null;
    created_at: string;
  };
  withdrawals: {
    /** That people know it by. */
    id: string;
    /** Null for a score from outside, which has the same id. */
    evaluation_id: string | null;
    checkpoint: string;
    benchmark: string;
    version: number;
    withdrawn_by: string;
    note: string;
    created_at: string;
  };
  incidents: {
    workflow_id: string;
    phase: string;
    purpose: AttemptPurpose;
    attempt: number;
    run_id: string;
    class: FailureClass;
    incident: string;
    evidence: string;
    created_at: string;
    /** Null where the place has no nodes to choose from. */
    cluster: string | null;
    node: string | null;
  };
  forgotten_nodes: {
    cluster: string;
    node: string;
    forgotten_by: string;
    created_at: string;
  };
  decisions: {
    key: string;
    run_id: string;
    phase: string;
    attempt: number | null;
    question: string;
    answer: string;
    evidence: string;
    created_at: string;
  };
  notifications: {
    key: string;
    run_id: string;
    phase: string;
    event: NotificationEvent;
    cause: string;
    tries: number;
    unanswered: number;
    sent_at: string | null;
    problem: string | null;
    refused: number;
    created_at: string;
  };
  sweeps: {
    run_id: string;
    workflow_id: string;
    name: string;
    plan: string;
    started_at: string;
    ended_at: string | null;
    outcome: string | null;
    report: string | null;
  };
  verdicts: {
    key: string;
    run_id: string;
    phase: string;
    verdict: string;
    evidence: string;
    created_at: string;
  };
}

/** What an attempt's job is for; each numbers its attempts on its own. */
export type AttemptPurpose = 'train' | 'evaluate';
export type CheckpointLevel = 'complete' | 'sealed';
