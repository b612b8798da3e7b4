/**
 * Whether a foreign trainer did what it was asked to do, by what its checkpoints and its log show. It writes no result, and an exit
 * code proves nothing, neither that it is done nor that it is not.
 *
 * Covers the same rule of success as proof.ts, as far as it can be seen from outside. Weights that cannot be compared are not held
 * against it: the sentence of the attempt's end says so. Does not cover gathering (store/foreign/).
 */
import type { Asked, Evidence, ObservedRun } from './failure.ts';
import { type Disproof, hadOnlyToFinish, type Proof } from './proof.ts';

export function proveByObservation(evidence: Evidence, observed: ObservedRun): Proof {
  const { asked } = evidence;
  const problem = startProblem(asked, observed) ?? numbersProblem(observed);
  if (problem !== null) return { kind: 'disproved', ...problem };
  if (!evidence.targetArtifactComplete) {
    const { savedStep } = observed;
    return { kind: 'no-result', because: { rule: 'target-not-saved', savedStep, targetStep: asked.targetStep } };
  }
  if (observed.weights === 'unchanged' && !hadOnlyToFinish(asked))
    return { kind: 'disproved', class: 'no-progress', because: { rule: 'weights-unchanged' } };
  return { kind: 'proved', finalStep: asked.targetStep };
}

/** Its own word, then its history, then the first step it reported: one that was done before was not resumed. */
function startProblem(asked: Asked, observed: ObservedRun): Disproof | null {
  const want = asked.resume?.step ?? 0;
  const { startStep, firstStep, continuesHistory } = observed;
  if (startStep !== null && startStep !== want) return startedAt(want, startStep);
  if (continuesHistory === false) return { class: 'resume-mismatch', because: { rule: 'another-history', step: want } };
  const repeats = startStep === null && firstStep !== null && firstStep <= want && !hadOnlyToFinish(asked);
  return repeats ? startedAt(want, firstStep - 1) : null;
}

function startedAt(want: number, was: number): Disproof {
  return { class: 'resume-mismatch', because: { rule: 'started-at-step', want, was } };
}

function numbersProblem({ finite, metrics }: ObservedRun): Disproof | null {
  if (finite) return null;
  const metric = Object.keys(metrics).find((name) => metrics[name] === null) ?? null;
  return { class: 'not-finite', because: { rule: 'metrics-not-finite', metric } };
}
