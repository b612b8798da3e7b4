/**
 * What happened between the end of a phase's pod and the start of the next phase's: when, from the bench's watch and the phase's history.
 *
 * Milliseconds since the epoch. Does not cover what is made of it (live-table.ts).
 */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { childIds } from '../../workflows/contract.ts';
import type { SeenJob } from './seen-jobs.ts';

export interface PhaseChange {
  readonly podEndedAt: number;
  /** The Job controller's word, which comes after the pod's end. */
  readonly jobEndedAt: number;
  /** The watch of the job has told the workflow. */
  readonly toldAt: number;
  /** The activity that judges the attempt has begun. */
  readonly judgedAt: number;
  readonly phaseEndedAt: number;
  readonly nextJobAt: number;
  readonly nextPodRunningAt: number;
}

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** Null while one of these has not happened. */
export async function readPhaseChange(
  client: Client,
  ended: SeenJob,
  next: SeenJob | undefined,
): Promise<PhaseChange | null> {
  const { pod, endedAt: jobEndedAt } = ended;
  if (!pod?.endedAt || !jobEndedAt || !next?.pod?.runningAt) return null;
  const handle = client.workflow.getHandle(childIds.phase(ended.pipeline, ended.phase));
  const { events } = await handle.fetchHistory();
  const told = lastActivity(events ?? [], 'awaitJob').completed;
  const judged = lastActivity(events ?? [], 'judgeAttempt').started;
  const closed = (events ?? []).find((event) => event.workflowExecutionCompletedEventAttributes);
  if (!told || !judged || !closed) return null;
  return {
    podEndedAt: pod.endedAt,
    jobEndedAt,
    toldAt: timeOf(told),
    judgedAt: timeOf(judged),
    phaseEndedAt: timeOf(closed),
    nextJobAt: next.addedAt,
    nextPodRunningAt: next.pod.runningAt,
  };
}

function lastActivity(events: readonly HistoryEvent[], name: string) {
  const scheduled = events.findLast((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === name);
  const isOf = (attributes: { scheduledEventId?: unknown } | null | undefined) =>
    attributes !== null &&
    attributes !== undefined &&
    String(attributes.scheduledEventId) === String(scheduled?.eventId);
  return {
    started: events.find((event) => isOf(event.activityTaskStartedEventAttributes)),
    completed: events.find((event) => isOf(event.activityTaskCompletedEventAttributes)),
  };
}

function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6;
}
