/** What a gate says, with the numbers it rests on: data for the ledger, the page and sentences.ts. Types only. */
import type { CheckpointFact, EvaluationKey } from './evaluation.ts';
import type { Estimate } from './statistics.ts';

export type GateVerdict =
  | {
      readonly kind: 'promote';
      readonly checkpoint: CheckpointFact;
      /** Mean on the benchmark that ranks, else on the first; null where nothing was evaluated. */
      readonly score: number | null;
      readonly because: PromoteReason;
      readonly stages: readonly StageReport[];
    }
  | {
      readonly kind: 'more-evaluations';
      /** Exactly those that are missing; never empty. */
      readonly missing: readonly EvaluationKey[];
      readonly because: MoreReason;
      readonly stages: readonly StageReport[];
    }
  | { readonly kind: 'hold'; readonly because: HoldReason; readonly stages: readonly StageReport[] }
  | { readonly kind: 'reject'; readonly because: RejectReason; readonly stages: readonly StageReport[] };

export type PromoteReason =
  | { readonly rule: 'no-gate'; readonly step: number }
  /** No stage ranks: of those that passed, the newest. */
  | { readonly rule: 'newest'; readonly step: number; readonly passed: number }
  | { readonly rule: 'highest'; readonly benchmark: string; readonly score: number; readonly next: RankLine | null }
  | { readonly rule: 'tie'; readonly by: TieRule; readonly benchmark: string; readonly among: number };

export type MoreReason =
  | { readonly rule: 'first-seeds'; readonly seeds: number; readonly missing: number }
  | {
      readonly rule: 'undecided';
      readonly benchmark: string;
      /** Ids of the candidates that the evidence does not decide. */
      readonly contenders: readonly string[];
      readonly missing: number;
    };

export type HoldReason =
  | { readonly rule: 'no-candidates' }
  | { readonly rule: 'evaluation-budget'; readonly missing: number; readonly left: number };

export interface RejectReason {
  readonly rule: 'none-passed';
  /** Index into `stages`. */
  readonly stage: number;
  readonly candidates: number;
}

export type TieRule = 'tokens' | 'earlier';

export type StageReport = NotWorseReport | AtLeastReport | RankReport;

export interface NotWorseReport {
  readonly stage: 'not-worse-than-parent';
  readonly benchmark: string;
  readonly margin: number;
  readonly parent: { readonly checkpoint: string; readonly score: number; readonly seeds: number } | null;
  readonly lines: readonly BoundLine[];
}

export interface AtLeastReport {
  readonly stage: 'score-at-least';
  readonly benchmark: string;
  readonly atLeast: number;
  readonly lines: readonly BoundLine[];
}

export interface BoundLine {
  readonly checkpoint: string;
  readonly step: number;
  readonly score: number;
  readonly seeds: number;
  /** What was held against the limit: the difference to the parent, or the score itself. Null without a parent. */
  readonly estimate: Estimate | null;
  readonly outcome: 'passed' | 'failed' | 'undecided';
  /** `point-estimate`: the interval left it open, and no further evaluation was to be had. */
  readonly decidedBy: 'interval' | 'point-estimate' | 'no-parent' | null;
}

export interface RankReport {
  readonly stage: 'rank';
  readonly benchmark: string;
  readonly tie: readonly TieRule[];
  /** Best first: the winner, those tied with the leader, then the rest by score. */
  readonly lines: readonly RankLine[];
}

export interface RankLine {
  readonly checkpoint: string;
  readonly step: number;
  readonly score: number;
  readonly seeds: number;
  readonly tokensPerSample: number;
  /** Difference to the highest mean over the same problems; null for the leader itself. */
  readonly fromLeader: Estimate | null;
  /** The difference to the leader is inside the noise. */
  readonly tied: boolean;
}
