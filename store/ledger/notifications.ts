/**
 * Notifications in the ledger: one row each, with its tries and what became of it. One that was sent stays so.
 *
 * A try is recorded before it is made: one that nobody recorded an answer of may have arrived. Does not cover the words
 * (decisions/notification.ts).
 */
import type { Kysely, Selectable } from 'kysely';
import type { NotificationEvent, NotificationFact } from '../../decisions/notification.ts';
import type { LedgerTables } from './schema.ts';

export interface NewNotification {
  /** Names this very event: whoever asks again with it gets the same row. */
  readonly key: string;
  readonly runId: string;
  readonly phase: string;
  readonly event: NotificationEvent;
  readonly cause: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface NotificationRecord extends NewNotification, NotificationFact {}

export type NotificationAnswer =
  | { readonly kind: 'sent'; readonly at: string }
  | { readonly kind: 'refused' | 'unavailable' | 'unanswered'; readonly problem: string };

export interface NotificationLedger {
  /** Doing it again changes nothing. */
  openNotification(notification: NewNotification): Promise<NotificationRecord>;
  /** Before a try. */
  recordNotificationTry(key: string): Promise<void>;
  /** After it. */
  recordNotificationAnswer(key: string, answer: NotificationAnswer): Promise<NotificationRecord>;
  notificationsOf(of: { readonly runId: string; readonly phase?: string }): Promise<readonly NotificationRecord[]>;
}

function asRecord(row: Selectable<LedgerTables['notifications']>): NotificationRecord {
  return {
    key: row.key,
    runId: row.run_id,
    phase: row.phase,
    event: row.event,
    cause: row.cause,
    tries: row.tries,
    unanswered: row.unanswered === 1,
    sentAt: row.sent_at,
    problem: row.problem,
    refused: row.refused === 1,
    at: row.created_at,
  };
}

export function notificationLedger(db: Kysely<LedgerTables>): NotificationLedger {
  const rowOf = async (key: string) =>
    asRecord(await db.selectFrom('notifications').selectAll().where('key', '=', key).executeTakeFirstOrThrow());
  return {
    async openNotification({ key, runId, phase, event, cause, at }) {
      const facts = { tries: 0, unanswered: 0, sent_at: null, problem: null, refused: 0 };
      await db
        .insertInto('notifications')
        .values({ key, run_id: runId, phase, event, cause, ...facts, created_at: at })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
      return await rowOf(key);
    },
    async recordNotificationTry(key) {
      await db
        .updateTable('notifications')
        .set((row) => ({ tries: row('tries', '+', 1), unanswered: 1 }))
        .where('key', '=', key)
        .where('sent_at', 'is', null)
        .execute();
    },
    async recordNotificationAnswer(key, answer) {
      const change =
        answer.kind === 'sent'
          ? { sent_at: answer.at, problem: null, unanswered: 0, refused: 0 }
          : {
              problem: answer.problem,
              unanswered: answer.kind === 'unanswered' ? 1 : 0,
              refused: answer.kind === 'refused' ? 1 : 0,
            };
      await db.updateTable('notifications').set(change).where('key', '=', key).where('sent_at', 'is', null).execute();
      return await rowOf(key);
    },
    async notificationsOf({ runId, phase }) {
      const query = db.selectFrom('notifications').selectAll().where('run_id', '=', runId);
      const rows = await (phase === undefined ? query : query.where('phase', '=', phase))
        .orderBy('created_at')
        .orderBy('key')
        .execute();
      return rows.map(asRecord);
    },
  };
}
