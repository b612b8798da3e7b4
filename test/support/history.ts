/** Reads what a run's history holds. */
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';

/** How many events a run has. */
export async function eventCount(handle: WorkflowHandle): Promise<number> {
  return (await handle.fetchHistory()).events?.length ?? 0;
}

/** What the first activity of this name answered, as the history keeps it. */
export async function answerOf(handle: WorkflowHandle, activity: string): Promise<unknown> {
  const events = (await handle.fetchHistory()).events ?? [];
  const scheduled = events.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity);
  const completed = events.find(
    ({ activityTaskCompletedEventAttributes: end }) =>
      end?.scheduledEventId !== undefined && String(end.scheduledEventId) === String(scheduled?.eventId),
  );
  const [payload] = completed?.activityTaskCompletedEventAttributes?.result?.payloads ?? [];
  if (!payload) throw new Error(`the history has no answer of ${activity}`);
  return defaultPayloadConverter.fromPayload(payload);
}
