/** How long jobs ran. Does not cover what an hour of them costs (configs/job-needs.ts). */
import type { Evidence } from './failure.ts';

/** Together; the time in a queue is none. */
export function hoursRan(jobs: readonly { readonly evidence: Pick<Evidence, 'ranSeconds'> | null }[]): number {
  return jobs.reduce((seconds, { evidence }) => seconds + (evidence?.ranSeconds ?? 0), 0) / 3600;
}
