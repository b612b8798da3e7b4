/**
 * Tells a person through the profile's webhook: at least once, and not again once it is known to have been sent.
 *
 * A try whose answer was lost (a time-out, a worker that was killed meanwhile) may have arrived; the next one is made all the same, under
 * the same key, and says that it may be a repetition. Does not cover how long it is tried (workflows/notify.ts) or the words (decisions/notification.ts).
 */
import { ApplicationFailure } from '@temporalio/common';
import { notificationText, sentenceOfNotification, type NotificationEvent } from '../decisions/notification.ts';
import type { PhaseContext } from '../workflows/contract.ts';
import type { ActivityDependencies } from './dependencies.ts';

export interface NotificationInput {
  readonly context: Pick<PhaseContext, 'pipelineId' | 'runId' | 'profile'> & { readonly phase: string };
  readonly event: NotificationEvent;
  readonly cause: string;
  readonly key: string;
  /** Of a hold, for how long it waits and what then, in words; absent from older runs. */
  readonly waits?: string;
}

export interface NotificationEnd {
  readonly kind: 'sent' | 'refused' | 'nobody';
  readonly sentence: string;
}

export interface NotificationActivities {
  /** Throws, so that it is tried again, unless it was sent or refused. */
  notify(input: NotificationInput): Promise<NotificationEnd>;
}

export function notificationActivities(dependencies: ActivityDependencies): NotificationActivities {
  const { ledger, webhook } = dependencies;
  return {
    async notify({ context, event, cause, key, waits }) {
      const { pipelineId: pipeline, runId, phase } = context;
      const { notify } = dependencies.placeOf(context.profile).profile;
      if (notify === undefined) return { kind: 'nobody', sentence: 'The profile names nobody to tell any more.' };
      const before = await ledger.openNotification({
        key,
        runId,
        phase,
        event,
        cause,
        at: dependencies.now().toISOString(),
      });
      if (before.sentAt !== null) return { kind: 'sent', sentence: sentenceOfNotification(before) };
      await ledger.recordNotificationTry(key);
      const page = dependencies.pageOf(pipeline, runId);
      const text = notificationText({ event, pipeline, phase, cause, waits }, { page, mayRepeat: before.unanswered });
      const answer = await webhook.send({ to: notify, text, key });
      const after = await ledger.recordNotificationAnswer(
        key,
        answer.kind === 'sent' ? { kind: 'sent', at: dependencies.now().toISOString() } : answer,
      );
      const sentence = sentenceOfNotification(after);
      if (answer.kind === 'sent' || answer.kind === 'refused') return { kind: answer.kind, sentence };
      const seconds = answer.kind === 'unavailable' ? answer.retryAfterSeconds : null;
      throw ApplicationFailure.create({
        message: sentence,
        type: 'webhook-unavailable',
        ...(seconds === null ? {} : { nextRetryDelay: seconds * 1000 }),
      });
    },
  };
}
