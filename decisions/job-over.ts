/** When a job is over, for every backend and everybody who waits. Does not cover how it ended (classify.ts). */

/** Whether nothing of the job runs any more: it ended, or nothing is known of it. */
export function isJobOver<Status extends { readonly state: string }>(
  status: Status,
): status is Extract<Status, { readonly state: 'ended' | 'vanished' }> {
  return status.state === 'ended' || status.state === 'vanished';
}
