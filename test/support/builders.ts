/** Builders of what decisions look at: each begins with something ordinary, and a test says only what matters to it. */
import { type ErrorCode, TemperError } from '../../decisions/errors.ts';
import type { CheckpointFact, Evaluation, ProblemOutcome } from '../../decisions/evaluation.ts';
import type {
  Asked,
  Evidence,
  FailureClass,
  Incident,
  Progress,
  RankEnd,
  TrainerResult,
} from '../../decisions/failure.ts';
import type { ResumeCandidate } from '../../decisions/resume-point.ts';
import type { Doing, WaitKind } from '../../decisions/states.ts';

export interface IncidentBuilder {
  /** Failed at this step, with a complete checkpoint of it. */
  atStep(step: number): IncidentBuilder;
  /** The newest complete checkpoint, where it is another step than that of the failure. */
  completed(step: number): IncidentBuilder;
  on(node: string): IncidentBuilder;
  because(rootCause: string): IncidentBuilder;
  /** It never ran: it waited for this, so long. */
  thatWaited(seconds: number, waitsFor?: WaitKind): IncidentBuilder;
  build(attempt?: number): Incident;
}

export function incident(name: FailureClass, change: Partial<Incident> = {}): IncidentBuilder {
  const ordinary: Incident = {
    attempt: 1,
    class: name,
    rootCause: name,
    rank: 0,
    node: 'node-1',
    step: 0,
    completedStep: 0,
    because: { rule: 'no-result' },
    ...change,
  };
  const but = (more: Partial<Incident>) => incident(name, { ...change, ...more });
  return {
    atStep: (step) => but({ step, completedStep: step }),
    completed: (completedStep) => but({ completedStep }),
    on: (node) => but({ node }),
    because: (rootCause) => but({ rootCause }),
    thatWaited: (seconds, waitsFor = 'mount') =>
      but({
        waitedSeconds: seconds,
        because: { rule: 'waited', wait: { for: waitsFor, reason: null, seconds, node: null } },
      }),
    build: (attempt = 1) => ({ ...ordinary, attempt }),
  };
}

export const preempted = (): IncidentBuilder => incident('preempted');
export const killed = (): IncidentBuilder => incident('killed');
export const ncclWatchdog = (): IncidentBuilder => incident('nccl-watchdog');
export const gpuOom = (): IncidentBuilder => incident('gpu-oom');
export const notFinite = (): IncidentBuilder => incident('not-finite');

/** Incidents in the order of their attempts. */
export function history(...seen: readonly IncidentBuilder[]): readonly Incident[] {
  return seen.map((builder, index) => builder.build(index + 1));
}

export function times(count: number, builder: IncidentBuilder): readonly IncidentBuilder[] {
  return Array.from({ length: count }, () => builder);
}

export function rankEnd(change: Partial<RankEnd> = {}): RankEnd {
  return {
    rank: 0,
    node: 'node-1',
    exitCode: 0,
    signal: null,
    endedAt: '2026-11-29T10:00:00.000Z',
    lastLines: [],
    reason: null,
    ...change,
  };
}

export function progress(doing: Doing, change: Partial<Progress> = {}): Progress {
  return { time: '2026-11-29T10:00:00.000Z', step: 10, of: 50, doing, metrics: { loss: 0.5 }, ...change };
}

export interface EvidenceBuilder {
  asked(change: Partial<Asked>): EvidenceBuilder;
  result(change: Partial<TrainerResult>): EvidenceBuilder;
  withoutResult(): EvidenceBuilder;
  ranks(...ends: readonly Partial<RankEnd>[]): EvidenceBuilder;
  but(change: Partial<Evidence>): EvidenceBuilder;
  build(): Evidence;
}

/** An attempt 2 that went on from step 20 and reached its target 50, with all the proof there is. */
export function evidence(): EvidenceBuilder {
  const asked: Asked = {
    job: 't-demo-sft-00000000-a2',
    jobToken: 'token-2',
    attempt: 2,
    targetStep: 50,
    resume: { path: '/store/checkpoint-20', step: 20, digest: 'digest-20' },
    start: { path: '/store/start', digest: 'digest-start' },
    trains: true,
  };
  const result: TrainerResult = {
    status: 'completed',
    reason: null,
    message: null,
    damaged: null,
    job: asked.job,
    attempt: 2,
    jobToken: 'token-2',
    startStep: 20,
    finalStep: 50,
    startedFrom: { path: '/store/checkpoint-20', digest: 'digest-20' },
    weightsBefore: 'weights-20',
    weightsAfter: 'weights-50',
    artifacts: [{ path: 'checkpoints/checkpoint-50', format: 'peft', step: 50, digest: 'digest-50' }],
    metrics: { loss: 0.2 },
    finite: true,
    seconds: { training: 6 },
  };
  return building({
    asked,
    job: 'ended',
    stoppedByTemper: 'no',
    ranks: [rankEnd()],
    ranSeconds: 60,
    lastProgress: progress('finishing', { step: 50 }),
    result,
    targetArtifactComplete: true,
    newestCompleteStep: 50,
    firstNotFiniteStep: null,
    storeFreeBytes: 100 * 2 ** 30,
  });
}

function building(now: Evidence): EvidenceBuilder {
  return {
    asked: (change) => building({ ...now, asked: { ...now.asked, ...change } }),
    result: (change) => building({ ...now, result: now.result === null ? null : { ...now.result, ...change } }),
    withoutResult: () => building({ ...now, result: null, targetArtifactComplete: false, newestCompleteStep: 20 }),
    ranks: (...ends) => building({ ...now, ranks: ends.map((end, rank) => rankEnd({ rank, ...end })) }),
    but: (change) => building({ ...now, ...change }),
    build: () => now,
  };
}

/** A sealed, resumable, finite checkpoint of a phase. */
export function resumeCandidate(step: number, change: Partial<ResumeCandidate> = {}): ResumeCandidate {
  const id = change.id ?? `demo/sft/a1/checkpoint-${step}`;
  const sound = { level: 'sealed', resumable: true, finite: true, damage: null, digest: `digest-${step}` } as const;
  return { id, attempt: 1, path: `/store/${id}`, step, ...sound, ...change };
}

export function checkpoint(id: string, step: number, change: Partial<CheckpointFact> = {}): CheckpointFact {
  return { id, phase: 'sft', step, parent: 'parent', ...change };
}

export interface EvaluationBuilder {
  on(benchmark: string, version?: number): EvaluationBuilder;
  seed(seed: number): EvaluationBuilder;
  /** One number of correct samples per problem, of `samples` each. */
  scoring(correct: readonly number[], samples?: number): EvaluationBuilder;
  /** Tokens of each sample. */
  tokens(tokensPerSample: number): EvaluationBuilder;
  build(): Evaluation;
}

/** Four problems with four samples each, half of them correct, ten tokens a sample. */
export function evaluation(of: string): EvaluationBuilder {
  return evaluating({ of, benchmark: 'addition', version: 1, seed: 1, correct: [2, 2, 2, 2], samples: 4, tokens: 10 });
}

interface EvaluationParts {
  readonly of: string;
  readonly benchmark: string;
  readonly version: number;
  readonly seed: number;
  readonly correct: readonly number[];
  readonly samples: number;
  readonly tokens: number;
}

function evaluating(parts: EvaluationParts): EvaluationBuilder {
  return {
    on: (benchmark, version = 1) => evaluating({ ...parts, benchmark, version }),
    seed: (seed) => evaluating({ ...parts, seed }),
    scoring: (correct, samples = parts.samples) => evaluating({ ...parts, correct, samples }),
    tokens: (tokens) => evaluating({ ...parts, tokens }),
    build: () => ({
      checkpoint: parts.of,
      benchmark: parts.benchmark,
      version: parts.version,
      seed: parts.seed,
      problems: parts.correct.map((correct, index) => outcome(`problem-${index}`, correct, parts)),
    }),
  };
}

function outcome(problem: string, correct: number, { samples, tokens }: EvaluationParts): ProblemOutcome {
  const correctAnswers = Array.from({ length: samples }, (_, index) => index < correct);
  return {
    problem,
    samples,
    correct,
    tokens: tokens * samples,
    truncated: 0,
    seconds: 0.5,
    answers: correctAnswers.map((right) => (right ? 'right' : 'wrong')),
    correctAnswers,
  };
}

/** The code with which something is refused. */
export function refusalOf(act: () => unknown): ErrorCode | 'not refused' {
  try {
    act();
  } catch (error) {
    if (error instanceof TemperError) return error.code;
    throw error;
  }
  return 'not refused';
}
