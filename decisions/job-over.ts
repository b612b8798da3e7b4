/** When a job is over, for every backend and everybody who waits. Does not cover how it ended (classify.ts). */
import { mayStillRun } from './backend-reasons.ts';
import type { RankEnd } from './failure.ts';

/**
 * What may still happen in the directory of a job: it runs; nothing of it does; or it counts no more, and may be at work all the same, on a
 * node that does not answer.
 */
export type DirectoryIs = 'written' | 'finished' | 'abandoned';

export function directoryAfter(ranks: readonly RankEnd[]): DirectoryIs {
  return ranks.some(mayStillRun) ? 'abandoned' : 'finished';
}

/** Whether nothing of the job runs any more: it ended, or nothing is known of it. */
export function isJobOver<Status extends { readonly state: string }>(
  status: Status,
): status is Extract<Status, { readonly state: 'ended' | 'vanished' }> {
  return status.state === 'ended' || status.state === 'vanished';
}

/** Whether a job is not as it was last seen. One that is over changes no more: what is known of its end may still grow. */
export function hasChanged<Status extends { readonly state: string }>(status: Status, seen: Status): boolean {
  if (isJobOver(status) || isJobOver(seen)) return status.state !== seen.state;
  return JSON.stringify(status) !== JSON.stringify(seen);
}

/** Why a living job will not come to an end of its own; null for one that may. */
export function whyEndless(status: {
  readonly lostNode?: string;
  readonly evicted?: { readonly because: string };
}): string | null {
  if (status.evicted !== undefined) return `its queue took its place away (${status.evicted.because})`;
  return status.lostNode === undefined ? null : `node ${status.lostNode} does not answer any more`;
}
