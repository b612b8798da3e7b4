/**
 * What the command line asks a worker for, because it lies in the ledger or on the store: questions and their answers. No code that runs.
 *
 * Answers are bounded: the newest part of a log, the newest events of a pipeline.
 */
import type { PipelineInput } from '../configs/schema.ts';
import type { Comparison, NotCompared } from '../decisions/comparison.ts';
import type { EvaluationKey } from '../decisions/evaluation.ts';
import type { ImportedResult } from '../configs/schema-import.ts';
import type { ScoreInput } from '../configs/schema-score.ts';
import type { FailureEvidence } from '../decisions/evidence-lines.ts';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';
import type { ForgottenNode, SuspectNode } from '../decisions/node-memory.ts';
import type { OutsideComparison, OutsideRow } from '../decisions/outside-rows.ts';
import type { TrainedOn } from '../decisions/lineage.ts';
import type { PhasePlan } from '../decisions/plan.ts';
import type { GoReason } from '../decisions/prune.ts';
import type { StopOutcome } from '../decisions/reap.ts';
import type { AttemptState, PhaseState, RunStateWord } from '../decisions/states.ts';
import type { ExplainedSweep } from '../decisions/explained-sweep.ts';
import type { ShownScores } from '../decisions/shown-scores.ts';
import type { ShownWithdrawals, WithdrawnEvidence, WithdrawQuestion } from '../decisions/withdrawal.ts';

export type Question =
  | { readonly question: 'plan'; readonly input: PipelineInput }
  | {
      readonly question: 'explain';
      readonly pipeline: string;
      readonly phase?: string | undefined;
      /** Only what is about attempts, and evaluation jobs, of this number; with the evidence. */
      readonly attempt?: number | undefined;
      /** With all the evidence of each failure. */
      readonly evidence?: boolean | undefined;
    }
  | PruneQuestion
  | PinQuestion
  | LineageQuestion
  | ReapQuestion
  | NodesQuestion
  | LeaderboardQuestion
  | CompareQuestion
  | RecordScoreQuestion
  | ImportEvalQuestion
  | WithdrawQuestion
  | LogsQuestion;

export interface PruneQuestion {
  readonly question: 'prune';
  /** Left out: every pipeline of the ledger. */
  readonly pipeline?: string | undefined;
  readonly phase?: string | undefined;
  /** False: say what would go, and change nothing. */
  readonly delete: boolean;
}

export interface PinQuestion {
  readonly question: 'pin';
  /** Its id, its path, or pipeline/phase. */
  readonly checkpoint: string;
  /** False: the pin is taken away. */
  readonly pinned: boolean;
  readonly by: string;
  readonly reason?: string | undefined;
}

export interface LineageQuestion {
  readonly question: 'lineage';
  /** A checkpoint: its id, its path, or pipeline/phase. */
  readonly of: string;
}

export interface ReapQuestion {
  readonly question: 'reap';
  /** False: say what would be stopped, and stop nothing. */
  readonly stop: boolean;
}

export interface NodesQuestion {
  readonly question: 'nodes';
  /** A node that was mended: what failed on it counts no more. */
  readonly forget?: { readonly node: string; readonly by: string } | undefined;
}

export interface LeaderboardQuestion {
  readonly question: 'leaderboard';
  /** Left out: every pipeline of the ledger. */
  readonly pipeline?: string | undefined;
  readonly benchmark?: string | undefined;
  /** Rows of each benchmark, where no pipeline is named. @default 20 */
  readonly most?: number | undefined;
}

/** Each is named by its id, by `pipeline/phase` (what its newest run promoted), or by its path. */
export interface CompareQuestion {
  readonly question: 'compare';
  readonly first: string;
  readonly second: string;
  /** Left out: every one that both have. */
  readonly benchmark?: string | undefined;
}

export interface RecordScoreQuestion {
  readonly question: 'record-score';
  readonly score: ScoreInput;
  /** Whose recipe says what the benchmark is; left out: that of the checkpoint. */
  readonly pipeline?: string | undefined;
}

/** Results of another harness, of one checkpoint. */
export interface ImportEvalQuestion {
  readonly question: 'import-eval';
  /** Its id, its path, or pipeline/phase. */
  readonly checkpoint: string;
  readonly results: readonly ImportedResult[];
  /** One that the recipe has with `outside: true`: their score counts on it too. */
  readonly benchmark?: string | undefined;
  /** Whose recipe says what the benchmark is; left out: that of the checkpoint. */
  readonly pipeline?: string | undefined;
  readonly by: string;
}

export interface LogsQuestion {
  readonly question: 'logs';
  readonly pipeline: string;
  /** Left out: the phase whose job began last. */
  readonly phase?: string | undefined;
  readonly purpose?: 'train' | 'evaluate' | undefined;
  /** Left out: the newest. */
  readonly attempt?: number | undefined;
  /** Of a job of several pods; left out: the first. */
  readonly rank?: number | undefined;
  /** What was seen last: only what came since is wanted, after a wait of at most `waitSeconds`. */
  readonly seen?: { readonly directory: string; readonly to: number } | undefined;
  readonly waitSeconds?: number | undefined;
}

export type Answer =
  | Plan
  | Explanation
  | Log
  | Pruned
  | Pinned
  | Lineage
  | Reaped
  | Nodes
  | LeaderboardAnswer
  | ComparisonAnswer
  | RecordedScore
  | ImportedEvaluations
  | WithdrawnEvidence;

export type AnswerTo<Q extends Question> = Extract<Answer, { readonly answer: Q['question'] }>;

/** What would run, what would be reused, and each value with where it came from. */
export interface Plan {
  readonly answer: 'plan';
  readonly recipe: string;
  readonly source: string;
  readonly profile: string;
  readonly phases: readonly {
    readonly phase: string;
    readonly kind: string;
    readonly plan: PhasePlan;
    /** The pods of its training job by role, and the GPUs of each; null where jobs are processes of the worker's machine. */
    readonly asks: { readonly pods: Readonly<Record<string, number>>; readonly gpus: number } | null;
    /** The finished checkpoint of another pipeline that it starts from; absent for all others. */
    readonly startsFrom?: string;
    readonly sentence: string;
  }[];
  /** What a person should look at, in sentences; absent from workers before there was such a field. */
  readonly warnings?: readonly string[];
  readonly values: readonly {
    readonly field: string;
    readonly value: unknown;
    readonly from: 'recipe' | 'set' | 'default';
  }[];
}

/** Everything that was decided in the newest run of a pipeline, and on which numbers. */
export interface Explanation {
  readonly answer: 'explain';
  readonly pipeline: string;
  readonly runId: string;
  readonly recipe: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** How it ended, by the server where it wrote no end itself; `running` before. */
  readonly state: RunStateWord;
  /** Why it has no end of its own, in a sentence; absent where it has one, or runs. */
  readonly ended?: string;
  readonly phases: readonly ExplainedPhase[];
  /** Events that were left out, the oldest first, so that the answer stays small. */
  readonly omitted: number;
  /** Where a sweep was named: then `pipeline` is its workflow id, `recipe` its name, and its one phase is `sweep`. */
  readonly sweep?: ExplainedSweep;
}

export interface ExplainedPhase {
  readonly phase: string;
  readonly kind: string;
  readonly state: PhaseState;
  /** Why it is in this state, in one sentence. */
  readonly because: string;
  readonly events: readonly ExplainedEvent[];
}

export interface ExplainedEvent {
  /** ISO 8601. */
  readonly at: string;
  readonly about:
    | 'attempt'
    | 'evaluation'
    | 'start'
    | 'incident'
    /** By a hold, and what comes of it: no failure. */
    | 'stopped'
    | 'retry'
    | 'collapse'
    | 'release'
    | 'steering'
    | 'import'
    | 'withdraw'
    | 'prune'
    | 'pin'
    | 'sweep'
    | 'verdict'
    | 'notification';
  /** Null for a verdict, an import, a withdrawal, a pruning, a pin and a notification. */
  readonly attempt: number | null;
  readonly sentence: string;
  /** The numbers and words it rests on. */
  readonly lines: readonly string[];
  /** Of an incident, where it was asked for; `too-much` where that of newer ones left no room: its attempt has to be asked for alone. */
  readonly evidence?: FailureEvidence | 'too-much';
}

/** Checkpoints that may go, or went, and why the others stay. */
export interface Pruned {
  readonly answer: 'prune';
  readonly deleted: boolean;
  readonly freedBytes: number;
  readonly go: readonly { readonly what: string; readonly bytes: number; readonly why: string }[];
  readonly stay: readonly { readonly what: string; readonly why: string }[];
  /** Lines that were left out of both lists, so that the answer stays small. */
  readonly omitted: number;
}

/** A checkpoint that was pinned or unpinned. */
export interface Pinned {
  readonly answer: 'pin';
  /** Its id. */
  readonly checkpoint: string;
  readonly path: string;
  readonly pinned: boolean;
  /** False: it was so before, and nothing was written down. */
  readonly changed: boolean;
  /** What keeps it without its pin, in words; empty for one that is pinned. */
  readonly keeps: readonly string[];
}

/** A checkpoint and what it was made from. */
export interface Lineage {
  readonly answer: 'lineage';
  /** Its id. */
  readonly checkpoint: string;
  /** The checkpoint itself first, its base last. */
  readonly steps: readonly LineageStep[];
  /** Of the oldest, so that the answer stays small. */
  readonly omitted: number;
}

export interface LineageStep {
  readonly checkpoint: string;
  /** Null for one that was named as a parent and is not in this ledger. */
  readonly known:
    | ({
        readonly pipeline: string;
        readonly recipe: string | null;
        readonly phase: string;
        readonly kind: string | null;
        readonly step: number;
        readonly format: string;
        readonly path: string;
        readonly digest: string | null;
        /** `gone`: deleted by nobody that the ledger knows; `elsewhere`: in a store that this worker does not see. */
        readonly lies: 'sealed' | 'complete' | 'damaged' | 'pruned' | 'gone' | 'elsewhere';
        /** ISO 8601. */
        readonly prunedAt: string | null;
        /** By which rule; null for one that was not pruned, and where nobody wrote it down. Absent from older workers. */
        readonly prunedWhy?: GoReason | null;
        /** The steps that each attempt put into it; the first attempt first. */
        readonly parts: readonly { readonly attempt: number; readonly from: number; readonly to: number }[];
        /** Why its phase promoted it, or that it did not. */
        readonly verdict: string | null;
        /** The phase that took it over as finished work; null where it was made there, or named in a recipe. */
        readonly reusedBy: { readonly pipeline: string; readonly phase: string } | null;
      } & TrainedOn)
    | null;
}

/** Living jobs of the worker's store, and which of them run for nobody. */
export interface Reaped {
  readonly answer: 'reap';
  /** Whether those that run for nobody were asked to stop. */
  readonly stopped: boolean;
  /** Jobs that run for nobody, and what became of the stop of each; null where none was asked for. */
  readonly go: readonly { readonly job: string; readonly why: string; readonly outcome: StopOutcome | null }[];
  readonly stay: readonly { readonly job: string; readonly why: string }[];
  /** Of all jobs: the lists leave out lines, so that the answer stays small. */
  readonly counts: Readonly<Record<'go' | 'stay' | StopOutcome['kind'], number>>;
}

/** Nodes of the worker's cluster that jobs keep away from, and those that were forgotten lately. */
export interface Nodes {
  readonly answer: 'nodes';
  /** Null where jobs run on one machine. */
  readonly cluster: string | null;
  readonly suspects: readonly SuspectNode[];
  readonly forgotten: readonly ForgottenNode[];
}

/** Evaluated checkpoints of a pipeline, in the order of its phases; of the whole ledger, the best first on each benchmark and version. */
export interface LeaderboardAnswer extends Partial<ShownWithdrawals> {
  readonly answer: 'leaderboard';
  /** Null: of every pipeline. */
  readonly pipeline: string | null;
  /** Where a sweep was named: its checkpoints on its benchmarks, the best first on each; then `pipeline` is its workflow id. */
  readonly sweep?: string;
  /** Of one that wrote no end of its own, why, in a sentence. */
  readonly ended?: string;
  readonly rows: readonly LedgerRow[];
  /** Scores from outside, in the same order. Absent from older workers. */
  readonly outside?: readonly LedgerOutsideRow[];
  /** More of them that were left out. */
  readonly outsideOmitted?: number;
  /** Of a pipeline: evaluations that were asked for and that the ledger does not have. */
  readonly missing: readonly MissingEvaluation[];
  /** More of them that were left out. */
  readonly missingOmitted: number;
  /** Rows that were left out, so that the answer stays small. */
  readonly omitted: number;
  /** Evaluations older than those that were looked at are in the ledger too. */
  readonly olderLeftOut: boolean;
}

export interface LedgerRow extends LeaderboardRow {
  readonly pipeline: string;
}

export interface LedgerOutsideRow extends OutsideRow {
  readonly pipeline: string;
}

/** An evaluation of which there is none: what became of the last job that was to make it. */
export interface MissingEvaluation extends EvaluationKey {
  readonly phase: string;
  readonly job: number;
  readonly state: AttemptState;
  /** What failed, in words; empty where nothing did. */
  readonly because: string;
}

/** Two checkpoints on the same problems, for each benchmark and version that both were evaluated on. */
export interface ComparisonAnswer extends NotCompared, Partial<ShownWithdrawals> {
  readonly answer: 'compare';
  readonly first: string;
  readonly second: string;
  /** How one was made from the other, in a sentence; absent where it was not, and from older workers. */
  readonly relation?: string;
  readonly comparisons: readonly Comparison[];
  /** Of scores from outside, on what both have. Absent from older workers. */
  readonly outside?: readonly OutsideComparison[];
}

/** A score from outside that is in the ledger now. */
export interface RecordedScore {
  readonly answer: 'record-score';
  readonly id: string;
  /** False where it was there before. */
  readonly recorded: boolean;
  readonly sentence: string;
  /** Workflow ids of the phases whose gates look at its benchmark: each is told, and judges again if it waits. */
  readonly wakes: readonly string[];
  /** For the pages of open pipelines; they are told, and the command line is not. Absent from older workers. */
  readonly shows?: readonly ShownScores[];
}

/** Results of another harness that are in the ledger now. */
export interface ImportedEvaluations extends Pick<RecordedScore, 'shows'> {
  readonly answer: 'import-eval';
  /** Its id. */
  readonly checkpoint: string;
  /** Of outcomes per problem. */
  readonly evaluations: readonly ImportedEvaluation[];
  /** Of means, and of all where a benchmark is named. */
  readonly scores: readonly RecordedScore[];
}

export interface ImportedEvaluation extends Pick<RecordedScore, 'recorded' | 'sentence'> {
  /** By which it is withdrawn. Absent from older workers. */
  readonly id?: string;
  readonly benchmark: string;
  readonly version: number;
  readonly problems: number;
  /** Share of right answers. */
  readonly mean: number;
}

export interface Log {
  readonly answer: 'logs';
  readonly phase: string;
  readonly purpose: 'train' | 'evaluate';
  readonly attempt: number;
  readonly state: AttemptState;
  readonly directory: string;
  /** Byte offsets of the text in the file. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The pipeline, or the sweep, has ended, or is not known to this server: there is no more to wait for. */
  readonly isOver: boolean;
  /** Where it is over without an end of its own: why, in a sentence. */
  readonly ended?: string;
}
