/**
 * Whether a job has waited too long to start. Time in the queue costs no attempt; it has a bound of its own, so that nobody waits for ever.
 *
 * Covers one job at one moment. Does not cover what follows (workflows/).
 */
import { duration } from './sentences.ts';

export interface Waiting {
  /** ISO 8601; when it began to wait. */
  readonly since: string;
  readonly now: string;
  /** In the backend's words: what it waits for. */
  readonly reason: string | null;
}

export type WaitingVerdict =
  | { readonly kind: 'waits'; readonly waitedSeconds: number }
  | { readonly kind: 'too-long'; readonly waitedSeconds: number; readonly because: string };

export function judgeWaiting({ since, now, reason }: Waiting, waitMinutes: number): WaitingVerdict {
  const waitedSeconds = Math.max(0, (Date.parse(now) - Date.parse(since)) / 1000);
  if (waitedSeconds <= waitMinutes * 60) return { kind: 'waits', waitedSeconds };
  const what = reason === null ? '' : ` (${reason})`;
  const because = `It waited ${duration(waitedSeconds)} to start${what}, and budgets.waitMinutes allows ${duration(waitMinutes * 60)}: its place in the queue is given up, and no attempt is charged.`;
  return { kind: 'too-long', waitedSeconds, because };
}
