/** Which checkpoints of a phase are its candidates: those that `evaluate.every` names, and the last one. */
import type { Phase } from '../configs/schema.ts';

/** The step a phase trains to; 0 where nothing is trained (a merge, a base that is only named). */
export function targetStepOf(phase: Phase): number {
  return phase.kind === 'mxfp4-merge' ? 0 : phase.params.steps;
}

/** Steps whose checkpoints are evaluated and may be promoted, ascending; never empty. */
export function dueSteps(phase: Phase): readonly number[] {
  const last = targetStepOf(phase);
  const every = phase.evaluate?.every ?? last;
  const steps: number[] = [];
  for (let step = every; every > 0 && step < last; step += every) steps.push(step);
  return [...steps, last];
}
