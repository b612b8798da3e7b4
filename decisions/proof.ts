/**
 * Whether an attempt did what it was asked to do. An exit code of 0 proves nothing.
 *
 * Covers the rule of success: a result of this very job, the target reached, its artifact complete, finite metrics, weights that
 * changed, and the start that was asked for. Does not cover why an attempt without proof failed (classify.ts).
 */
import { firstNotFiniteOf } from './decisive-metrics.ts';
import type { Asked, ClassReason, Evidence, FailureClass, TrainerResult } from './failure.ts';

export type Proof =
  | { readonly kind: 'proved'; readonly finalStep: number }
  /** It claims to be done, and is not. */
  | { readonly kind: 'disproved'; readonly class: FailureClass; readonly because: ClassReason }
  /** It says itself that it is not done. */
  | { readonly kind: 'not-done'; readonly result: TrainerResult }
  | { readonly kind: 'no-result'; readonly because: ClassReason };

export function proveCompletion(evidence: Evidence): Proof {
  const { asked, result } = evidence;
  if (result === null) return { kind: 'no-result', because: { rule: 'no-result' } };
  if (result.job !== asked.job || result.attempt !== asked.attempt || result.jobToken !== asked.jobToken) {
    return { kind: 'no-result', because: { rule: 'result-of-another-job', job: result.job, attempt: result.attempt } };
  }
  if (result.status !== 'completed') return { kind: 'not-done', result };
  const problem =
    startProblem(asked, result) ??
    metricsProblem(result) ??
    stepsProblem(asked, result) ??
    weightsProblem(asked, result) ??
    artifactProblem(evidence);
  return problem === null ? { kind: 'proved', finalStep: result.finalStep } : { kind: 'disproved', ...problem };
}

/** Why what was done is not what was asked. */
export interface Disproof {
  readonly class: FailureClass;
  readonly because: ClassReason;
}

function startProblem(asked: Asked, result: TrainerResult): Disproof | null {
  const step = asked.resume?.step ?? 0;
  if (result.startStep !== step) {
    return { class: 'resume-mismatch', because: { rule: 'started-at-step', want: step, was: result.startStep } };
  }
  const want = (asked.resume ?? asked.start)?.digest ?? null;
  const was = result.startedFrom?.digest ?? null;
  if (want === null || want === was) return null;
  return { class: 'resume-mismatch', because: { rule: 'started-elsewhere', want, was } };
}

function metricsProblem(result: TrainerResult): Disproof | null {
  const metric = firstNotFiniteOf(result.metrics);
  if (result.finite && metric === null) return null;
  return { class: 'not-finite', because: { rule: 'metrics-not-finite', metric } };
}

function stepsProblem(asked: Asked, result: TrainerResult): Disproof | null {
  const { startStep, finalStep } = result;
  const { targetStep } = asked;
  if (asked.trains && finalStep <= startStep && !hadOnlyToFinish(asked)) {
    return { class: 'no-progress', because: { rule: 'no-step-trained', startStep, targetStep } };
  }
  if (finalStep >= targetStep) return null;
  return { class: 'unproven', because: { rule: 'steps-missing', finalStep, targetStep } };
}

function weightsProblem(asked: Asked, result: TrainerResult): Disproof | null {
  if (!asked.trains || hadOnlyToFinish(asked)) return null;
  if (result.weightsBefore === null || result.weightsAfter === null) {
    return { class: 'unproven', because: { rule: 'weights-unknown' } };
  }
  return result.weightsBefore === result.weightsAfter
    ? { class: 'no-progress', because: { rule: 'weights-unchanged' } }
    : null;
}

function artifactProblem(evidence: Evidence): Disproof | null {
  if (evidence.targetArtifactComplete) return null;
  const { lackingOutcomes: [why, ...others] = [] } = evidence;
  if (why !== undefined)
    return { class: 'unproven', because: { rule: 'incomplete-evaluation', why, evaluations: 1 + others.length } };
  return { class: 'unproven', because: { rule: 'artifact-incomplete', step: evidence.asked.targetStep } };
}

/** Its predecessor saved the last checkpoint and died before it could say so: no step is left to train. */
export function hadOnlyToFinish(asked: Asked): boolean {
  return asked.resume !== null && asked.resume.step === asked.targetStep;
}
