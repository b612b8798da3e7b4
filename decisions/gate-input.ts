/** What a gate looks at: its stages, the candidates and all the evidence there is. Types only. */
import type { GateStage } from '../configs/schema.ts';
import type { CheckpointFact, Evaluation } from './evaluation.ts';
import type { ScoredByVote } from './gate-report.ts';
import type { OutsideEvidence } from './outside-evidence.ts';

export interface GateInput {
  readonly stages: readonly GateStage[];
  /** As the phase says; seeds are the numbers 1 to `seeds`, and up to `maxSeeds` where the evidence does not decide. */
  readonly evaluate: { readonly benchmarks: readonly string[]; readonly seeds: number; readonly maxSeeds: number };
  /** The phase's own checkpoints that are to be evaluated. */
  readonly candidates: readonly CheckpointFact[];
  /** What the phase started from: a bound, never a candidate. */
  readonly parent: CheckpointFact | null;
  readonly evaluations: readonly Evaluation[];
  /** Version of each benchmark: evaluations of another version do not count. */
  readonly versions: Readonly<Record<string, number>>;
  /** Of the benchmarks whose problems are scored by a vote. */
  readonly votes?: Readonly<Record<string, ScoredByVote>>;
  /** Evaluations that the pipeline may still spend. */
  readonly evaluationBudgetLeft: number;
  /** Benchmarks that are scored outside alone: the gate holds for what a stage lacks on them. */
  readonly outsideBenchmarks?: readonly string[];
  /** What is known of the candidates, and of the parent, from outside. */
  readonly outside?: readonly OutsideEvidence[];
  /** What a person let go on though the evidence does not decide, or without scores that are lacking: there the highest does. */
  readonly releases?: readonly HeldComparison[];
}

/** A comparison that was held: the place of its stage in the gate, and whom the evidence did not tell apart. A release is of this one alone. */
export interface HeldComparison {
  /** From 0. */
  readonly stage: number;
  readonly contenders: readonly string[];
}
