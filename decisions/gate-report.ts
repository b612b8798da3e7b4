/** What a gate says, with the numbers it rests on: data for the ledger, the page and sentences.ts. Types only. */
import type { CheckpointFact, EvaluationKey } from './evaluation.ts';
import type { ShrunkenScore } from './shrinkage.ts';
import type { Estimate } from './statistics.ts';
import type { VotePolicy } from './vote.ts';

export type GateVerdict =
  | {
      readonly kind: 'promote';
      readonly checkpoint: CheckpointFact;
      /** Mean on the benchmark that ranks, else on the first; null where nothing was evaluated. */
      readonly score: number | null;
      /** What this score is worth, since it was picked for being high; absent where nobody else was in question, and in older verdicts. */
      readonly shrunken?: Shrunken;
      readonly because: PromoteReason;
      readonly stages: readonly StageReport[];
    }
  | {
      readonly kind: 'more-evaluations';
      /** Exactly those that are missing; empty where only runs elsewhere would decide, which nobody here can make. */
      readonly missing: readonly EvaluationKey[];
      readonly because: MoreReason;
      readonly stages: readonly StageReport[];
    }
  | { readonly kind: 'hold'; readonly because: HoldReason; readonly stages: readonly StageReport[] }
  | { readonly kind: 'reject'; readonly because: RejectReason; readonly stages: readonly StageReport[] };

export interface Shrunken {
  readonly benchmark: string;
  /** Candidates that had a score when they were put in order. */
  readonly lookedAt: number;
  /** Of those whose difference to the highest was inside the noise, and of the highest. */
  readonly scores: readonly ShrunkenScore[];
}

export type PromoteReason =
  | { readonly rule: 'no-gate'; readonly step: number }
  /** No stage ranks: of those that passed, the newest. */
  | { readonly rule: 'newest'; readonly step: number; readonly passed: number }
  | {
      readonly rule: 'highest';
      readonly benchmark: string;
      /** Null where only an order is told. */
      readonly score: number | null;
      readonly next: { readonly checkpoint: string; readonly score: number } | null;
    }
  /** Of so many that the evidence cannot tell apart, with nothing more to be had: the recipe or a person lets the highest go on. */
  | {
      readonly rule: 'highest-of-undecided';
      readonly benchmark: string;
      readonly score: number | null;
      readonly among: number;
    }
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
  | { readonly rule: 'evaluation-budget'; readonly missing: number; readonly left: number }
  /** Its evaluations leave problems out, and no seed is left to be asked for. */
  | ({ readonly rule: 'lacking-problems' } & LackingProblems)
  /** A stage looks at a benchmark that is scored outside, and nobody has told enough of these. */
  | ({ readonly rule: 'outside-scores' } & LackingScores)
  /** Nothing more to be had would decide between them, and the recipe wants a person then. */
  | { readonly rule: 'undecided'; readonly benchmark: string; readonly contenders: readonly string[] };

export interface LackingScores {
  readonly benchmark: string;
  /** What is to be told of each: how well it does, or how long a run of it takes. */
  readonly lacks: 'score' | 'runtime';
  /** Ids of candidates, and of the parent where a stage bounds by it. */
  readonly checkpoints: readonly string[];
  /** The same, and all others that the stage looks at. */
  readonly contenders: readonly string[];
}

/** So many evaluations of a checkpoint that lack these problems, of so many seeds that there may be. */
export interface LackingProblems {
  readonly checkpoint: string;
  readonly benchmark: string;
  readonly evaluations: number;
  readonly problems: readonly string[];
  readonly seeds: number;
}

export interface RejectReason {
  readonly rule: 'none-passed';
  /** Index into `stages`. */
  readonly stage: number;
  readonly candidates: number;
}

export type TieRule = 'tokens' | 'runtime' | 'earlier';

export type StageReport = NotWorseReport | AtLeastReport | RuntimeReport | CompareReport | RankReport;

/** How each problem is scored where its benchmark has a vote. */
export interface ScoredByVote extends VotePolicy {
  /** Of a problem. */
  readonly samples: number;
}

/** A stage that looks at scores. */
interface ScoreReport {
  /** Absent where the share of right samples is the score, and in older verdicts. */
  readonly vote?: ScoredByVote;
}

/** Of the samples of a score; absent where there were none, and in older verdicts. */
export interface UnfinishedShares {
  /** Not done in time. */
  readonly timedOutShare?: number;
  /** Cut at the limit of tokens. */
  readonly truncatedShare?: number;
}

export interface NotWorseReport extends ScoreReport {
  readonly stage: 'not-worse-than-parent';
  readonly benchmark: string;
  readonly margin: number;
  readonly parent:
    ({ readonly checkpoint: string; readonly score: number; readonly seeds: number } & UnfinishedShares) | null;
  readonly lines: readonly BoundLine[];
}

export interface AtLeastReport extends ScoreReport {
  readonly stage: 'score-at-least';
  readonly benchmark: string;
  readonly atLeast: number;
  readonly lines: readonly BoundLine[];
}

export interface BoundLine extends UnfinishedShares {
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

export interface RuntimeReport {
  readonly stage: 'runtime-at-most';
  readonly benchmark: string;
  /** The limit, and how far below it a run must stay. */
  readonly minutes: number;
  readonly marginMinutes: number;
  readonly lines: readonly RuntimeLine[];
}

export interface RuntimeLine {
  readonly checkpoint: string;
  readonly step: number;
  /** Of one run: as seen, and what 95 % of draws of as many problems stay below. Null where only the outcome is told, or nothing. */
  readonly seen: number | null;
  readonly p95: number | null;
  /** `told`: somebody outside says whether it kept the limit. `unknown`: nothing is known, which keeps no limit. */
  readonly decidedBy: 'evaluations' | 'outside-time' | 'told' | 'unknown';
  readonly outcome: 'passed' | 'failed';
}

export interface CompareReport extends ScoreReport {
  readonly stage: 'compare';
  readonly benchmark: string;
  readonly by: 'evidence' | 'mean';
  readonly undecided: 'highest' | 'tie' | 'hold';
  /** The highest first, then those tied with it, those without a score, and those below. */
  readonly lines: readonly CompareLine[];
}

export interface CompareLine extends UnfinishedShares {
  readonly checkpoint: string;
  readonly step: number;
  readonly score: number | null;
  readonly seeds: number;
  /** Difference to the highest, with the interval that is widened for looking at all of them; null for the highest itself. */
  readonly fromLeader: Estimate | null;
  readonly chanceOfBest: number | null;
  /** Seeds more of both that would decide if the difference stays as it is; null where none would, or nothing is open. */
  readonly furtherSeeds: number | null;
  readonly outcome: 'highest' | 'tied' | 'not-scored' | 'below';
}

export interface RankReport extends ScoreReport {
  readonly stage: 'rank';
  readonly benchmark: string;
  readonly tie: readonly TieRule[];
  /** Best first: the winner, those tied with the leader, then the rest by score. */
  readonly lines: readonly RankLine[];
}

export interface RankLine extends UnfinishedShares {
  readonly checkpoint: string;
  readonly step: number;
  readonly score: number;
  readonly seeds: number;
  /** Null where nobody told. */
  readonly tokensPerSample: number | null;
  /** Of one run, where it is known. */
  readonly minutes?: number | null;
  /** Difference to the highest mean over the same problems; null for the leader itself. */
  readonly fromLeader: Estimate | null;
  /** The difference to the leader is inside the noise. */
  readonly tied: boolean;
}
