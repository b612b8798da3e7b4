/**
 * Tells a person, in a run of its own: it outlives the phase that asked for it, and blocks nothing.
 *
 * Covers how long it is tried. Does not cover the message or its ledger row (activities/notifications.ts) or when (notices.ts).
 */
import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { NotificationActivities, NotificationEnd, NotificationInput } from '../activities/notifications.ts';
import { messageOf, mustComeFromAPipeline } from './explained.ts';
import { paragraph } from './markdown.ts';

/** A chat that is down over night is up in the morning; after that the news is old. */
const { notify } = proxyActivities<NotificationActivities>({
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '12 hours',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

export async function notifyPerson(input: NotificationInput): Promise<NotificationEnd> {
  mustComeFromAPipeline((input as NotificationInput | undefined)?.context);
  try {
    const end = await notify(input);
    setCurrentDetails(paragraph(end.sentence));
    return end;
  } catch (error) {
    setCurrentDetails(paragraph(messageOf(error)));
    throw error;
  }
}
