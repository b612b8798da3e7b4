/**
 * Runs one job to its end: submit, await, and stop when the run is cancelled or cannot go on.
 *
 * Covers the order of the three and that no job outlives its workflow. Does not cover what a job does or what its end means.
 */
import { ActivityCancellationType, CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { JobRef } from '../activities/backend.ts';
import type { AttemptTicket } from '../activities/attempts.ts';
import type { CheckpointRef, PhaseContext } from './contract.ts';

/** Idempotent, and beating while they work: retried for as long as the infrastructure under them is away. */
export function activities(summary: string) {
  return proxyActivities<Activities>({
    summary,
    startToCloseTimeout: '1 day',
    heartbeatTimeout: '30 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  });
}

/** Watches for days. It owns nothing, so that a killed worker costs 30 s and nothing else. */
function watcher(summary: string) {
  return proxyActivities<Activities>({
    summary,
    startToCloseTimeout: '30 days',
    heartbeatTimeout: '30 seconds',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '30 seconds' },
  });
}

export interface JobEnd {
  readonly job: JobRef;
  /** Why it never started and is not waited for any longer; null for a job whose end is to be judged. */
  readonly gaveUp: string | null;
}

/** By what happened to it. */
const reasonsToStop = { stalled: 'stalled', waited: 'deadline', lost: 'node-lost' } as const;

/** Submits the job of an attempt and waits for its end; `onCheckpoint` hears of each checkpoint that is due. */
export async function runJob(
  context: PhaseContext,
  ticket: AttemptTicket,
  onCheckpoint: (checkpoint: CheckpointRef) => void,
): Promise<JobEnd> {
  const title = `${ticket.title} attempt ${String(ticket.number)}`;
  // A cancellation in the middle of a submit must not leave a job that nobody knows of: submit first, then stop it.
  const job = await CancellationScope.nonCancellable(() =>
    activities(`${title}: start the job`).submitJob({ context, ticket }),
  );
  const seenSteps: number[] = [];
  try {
    for (;;) {
      const event = await watcher(title).awaitJob({ context, ticket, job, seenSteps });
      if (event.kind === 'checkpoint') {
        seenSteps.push(event.checkpoint.step);
        onCheckpoint(event.checkpoint);
      } else {
        if (event.kind === 'ended') return { job, gaveUp: null };
        const reason = event.kind === 'evicted' ? event.as : reasonsToStop[event.kind];
        await activities(`${title}: stop, ${event.because}`).stopJob({ context, ticket, job, reason });
        return { job, gaveUp: event.kind === 'waited' ? event.because : null };
      }
    }
  } catch (error) {
    const reason = isCancellation(error) ? 'cancel' : 'shutdown';
    const summary = `${title}: stop, the run ${reason === 'cancel' ? 'is cancelled' : 'cannot go on'}`;
    await CancellationScope.nonCancellable(() => activities(summary).stopJob({ context, ticket, job, reason }));
    throw error;
  }
}
