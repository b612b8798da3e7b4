/** What the gate and the leaderboard look at: checkpoints and evaluations as data, free of where they are kept. */

export type CheckpointFormat = 'hf' | 'peft' | 'megatron' | 'slime';

/** A checkpoint as decisions see it. */
export interface CheckpointFact {
  /** For example `demo/sft/a1/checkpoint-50`: unique for ever, since attempt numbers are never reused. */
  readonly id: string;
  readonly phase: string;
  readonly step: number;
  readonly parent: string | null;
}

/** All samples of one problem in one evaluation. */
export interface ProblemOutcome {
  readonly problem: string;
  readonly samples: number;
  readonly correct: number;
  /** Generated tokens over all samples. */
  readonly tokens: number;
  /** Samples that were cut at the token limit. */
  readonly truncated: number;
  readonly seconds: number;
  /** Normalised answers of the samples, for maj@k; null where none could be read. */
  readonly answers: readonly (string | null)[];
  readonly correctAnswers: readonly boolean[];
  /** Where the benchmark is scored by a vote: whether it was right, as a share (ties share it). Absent: the share of right samples counts. */
  readonly voted?: number;
  /** Samples that were not done in their time, each of them wrong; absent where all were. */
  readonly timedOut?: number;
  /** Such as `geometry`, where the benchmark has types: what scores are told apart by. */
  readonly type?: string;
}

/** One checkpoint on one benchmark (with version) with one seed. A failed evaluation is not one. */
export interface Evaluation {
  readonly checkpoint: string;
  readonly benchmark: string;
  readonly version: number;
  readonly seed: number;
  readonly problems: readonly ProblemOutcome[];
}

/** What is to be evaluated: the exactly-once key of the ledger. */
export interface EvaluationKey {
  readonly checkpoint: string;
  readonly benchmark: string;
  readonly version: number;
  readonly seed: number;
}

/** A part of the problems of an evaluation, made by a job of its own: every `of`-th problem, beginning with number `index`. */
export interface Shard {
  /** From 0 on. */
  readonly index: number;
  readonly of: number;
}
