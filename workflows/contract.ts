/**
 * What travels between workflows, activities, clients and pages: names and message types. No code that runs.
 *
 * Everything here is small: paths, digests and numbers, never logs, weights or rows per problem.
 */
import type { SweepInput } from '../configs/schema-input.ts';
import type { Benchmark, Budgets, Model, Phase, PipelineInput, Profile, Recipe } from '../configs/schema.ts';
import type { CheckpointFormat, EvaluationKey } from '../decisions/evaluation.ts';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';
import type { OutsideRow } from '../decisions/outside-rows.ts';
import type { PhaseState } from '../decisions/states.ts';

export const workflowNames = {
  pipeline: 'postTrainingPipeline',
  phase: 'trainPhase',
  evaluation: 'evaluateCheckpoint',
  question: 'askWorker',
  notification: 'notifyPerson',
  sweep: 'evalSweep',
} as const;

export const defaultTaskQueue = 'temper';

export type { PipelineInput, SweepInput };

/** What was resolved from an input: this is what runs, whatever happens to the files later. */
export interface ResolvedPipeline {
  readonly recipe: Recipe;
  readonly profile: Profile;
  /** Where the recipe came from: a file of the worker, or `inline`. */
  readonly source: string;
  /** Fields that `set` changed, by their path. */
  readonly changed: readonly string[];
  /** SHA-256 of each JSONL file that the recipe names. */
  readonly dataDigests: Readonly<Record<string, string>>;
  /** Finished checkpoints of other pipelines that phases start from, by phase; absent where none does. */
  readonly starts?: Readonly<Record<string, CheckpointRef>>;
  /** What a person should look at, in sentences; absent where there is nothing, and in runs that began before there was such a field. */
  readonly warnings?: readonly string[];
  /** How often the worker that resolved it tells of a watched job, at most. Absent in runs that began before it could be chosen. */
  readonly throttleSeconds?: number;
}

/** A checkpoint on the store. */
export interface CheckpointRef {
  /** For example `demo/sft/a1/checkpoint-50`. */
  readonly id: string;
  readonly path: string;
  readonly format: CheckpointFormat;
  /** Path of the full model below an adapter; null for a full model. */
  readonly base: string | null;
  readonly step: number;
  /** Digest of its seal; null while it is only complete. */
  readonly digest: string | null;
}

/** All that a phase needs to know; input of `trainPhase`, handed on to its activities. */
export interface PhaseContext {
  readonly pipelineId: string;
  /** Run id of the pipeline: incidents and decisions belong to a run. */
  readonly runId: string;
  readonly recipe: string;
  readonly profile: string;
  readonly phase: Phase;
  /** Place in the recipe, from 0. */
  readonly position: number;
  readonly seed: number;
  readonly model: Model;
  readonly benchmarks: Readonly<Record<string, Benchmark>>;
  readonly budgets: Budgets;
  readonly onFailure: Recipe['onFailure'];
  /** Absent in runs that began before recipes said it. */
  readonly hold?: Recipe['hold'];
  readonly dataDigests: Readonly<Record<string, string>>;
  /** Null for `base`. */
  readonly start: CheckpointRef | null;
  /** The profile names somebody to tell; absent otherwise, and in runs that began before there was such a field. */
  readonly notifies?: true;
  /** A hold stops what it does; absent in runs that began before there were holds: these are held at their next safe point. */
  readonly steers?: true;
  /** Who asked to hold it before it began, and why, in words; absent where nobody did. */
  readonly holdAsked?: string;
  /** As in ResolvedPipeline. */
  readonly throttleSeconds?: number;
}

export interface EvaluationInput {
  readonly context: PhaseContext;
  /** The checkpoint whose evaluation this is, in words, for the page. */
  readonly title: string;
  readonly evaluations: readonly EvaluationKey[];
}

/** How a phase ended well. */
export interface PhaseEnd {
  readonly state: Extract<PhaseState, 'completed' | 'reused' | 'rejected' | 'skipped'>;
  /** What the next phase starts from: the promoted checkpoint, or the parent where the gate kept it. */
  readonly checkpoint: CheckpointRef;
  /** One sentence: why this checkpoint, or what was reused from where. */
  readonly because: string;
  readonly score: number | null;
}

/** The same, with where its time went. */
export interface PhaseOutcome extends PhaseEnd {
  /** From its start to its end, and what its last trainer did, by `doing`. */
  readonly seconds: { readonly wall: number; readonly trainer: Readonly<Record<string, number>> };
}

/** What a phase tells its pipeline when something changes. */
export interface PhaseReport {
  readonly phase: string;
  readonly kind: Phase['kind'];
  readonly state: PhaseState;
  /** 0 before the first attempt. */
  readonly attempt: number;
  readonly step: number;
  readonly of: number;
  /** One sentence a person understands. */
  readonly note: string;
  readonly score: number | null;
  /** Of one that is held: until when, and what then, in words. */
  readonly held?: string;
}

/** Answer of the query `status`. */
export interface PipelineStatus {
  readonly recipe: string;
  readonly profile: string;
  readonly phases: readonly PhaseReport[];
}

/** Answer of the query `leaderboard`. */
export interface Leaderboard {
  readonly rows: readonly LeaderboardRow[];
  /** Scores from outside; absent where there are none. */
  readonly outside?: readonly OutsideRow[];
  /** How many more of those the ledger has; absent: none. */
  readonly outsideOmitted?: number;
}

/** What `postTrainingPipeline` returns. */
export interface PipelineResult {
  readonly promoted: readonly { readonly phase: string; readonly outcome: PhaseOutcome }[];
}

/** Name of what stands for a phase in a sweep: its evaluations have numbers and directories of their own. */
export const sweepPhase = 'sweep';

/** A row of a sweep's page. */
export interface SweepRow extends Pick<LeaderboardRow, 'checkpoint' | 'benchmark' | 'mean' | 'low' | 'high' | 'seeds'> {
  /** Whose checkpoint it is, such as `champion`; a pipeline is named where it is not the one in the checkpoint's name. */
  readonly whose: string;
}

/** Heartbeat of a job: what a person sees of a pending activity. */
export interface JobHeartbeat {
  readonly job: string;
  readonly state: string;
  readonly step: number;
  readonly of: number;
  readonly doing: string;
  readonly loss: number | null;
  readonly reward: number | null;
  readonly checkpoint: number | null;
  /** ISO 8601; when the step was reached. */
  readonly updatedAt: string;
  /** For how long nothing new came while it ran and was watched. */
  readonly idleSeconds: number;
  /** For how long the backend has heard of no job at all, as while a cluster's API server is away; 0 while all is well. */
  readonly unseenSeconds: number;
  /** What it waits for before it runs, in words; absent once it runs. */
  readonly waits?: string;
}

export interface ReleaseInput {
  readonly phase?: string;
  readonly by?: string;
  readonly reason?: string;
}

/** Workflow ids of the children: a person reads them in the list. */
export const childIds = {
  phase: (pipelineId: string, phase: string): string => `${pipelineId}/${phase}`,
  evaluation: (pipelineId: string, phase: string, number: number): string =>
    `${pipelineId}/${phase}/evaluation-${String(number)}`,
  /** `teller`: the run that tells it. What an earlier one had to tell may still be on its way, and is other news. */
  notice: (
    of: { readonly pipelineId: string; readonly teller: string; readonly phase: string },
    number: number,
  ): string => `${of.pipelineId}/${of.phase}/notice-${String(number)}-${of.teller}`,
} as const;
