/** How long jobs ran, and what that takes of a budget. Does not cover how many GPUs a job has (configs/job-needs.ts). */
import type { Evidence } from './failure.ts';

interface Ran {
  readonly evidence: Pick<Evidence, 'ranSeconds'> | null;
}

/** Together; the time in a queue is none. */
export function hoursRan(jobs: readonly Ran[]): number {
  return jobs.reduce((seconds, { evidence }) => seconds + (evidence?.ranSeconds ?? 0), 0) / 3600;
}

/** The same × the GPUs that each was opened with, whatever a profile says now; one for a job from before they were kept. */
export function gpuHoursRan(jobs: readonly (Ran & { readonly gpus: number | null })[]): number {
  return jobs.reduce((hours, job) => hours + hoursRan([job]) * (job.gpus ?? 1), 0);
}
