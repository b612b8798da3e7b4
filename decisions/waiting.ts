/**
 * Whether a job has waited too long to start: each kind of wait has its own bound, so that nobody waits for ever, and nothing is held for
 * nothing. Time that it waits costs no attempt.
 *
 * Covers one wait at one moment. Does not cover the bounds (wait-rules.ts) or what follows (retry.ts, workflows/).
 */
import type { GivenUpWait } from './failure.ts';
import { shortened } from './comparable.ts';
import { duration } from './sentences.ts';
import type { WaitKind } from './states.ts';
import { startMinutesUnlessNamed, waitRules } from './wait-rules.ts';
import { minuteOf } from './utc-minute.ts';

export interface Waiting {
  readonly for: WaitKind;
  /** ISO 8601; since when it has waited for this. */
  readonly since: string;
  /** In the backend's words: what it waits for. */
  readonly reason: string | null;
  /** Where it waits, where that is one node's trouble. */
  readonly node?: string;
}

/** The recipe's `budgets` fit. */
export interface WaitBudgets {
  readonly waitMinutes: number;
  readonly startMinutes?: number | undefined;
}

export interface WaitMoment {
  /** ISO 8601. */
  readonly now: string;
  /** From 0 to 1: the job's own, where bounds are spread. @default 0 */
  readonly share?: number;
}

export type WaitingVerdict =
  | { readonly kind: 'waits'; readonly waitedSeconds: number }
  | {
      readonly kind: 'too-long';
      readonly waitedSeconds: number;
      readonly because: string;
      /** What is to be judged. */
      readonly wait: GivenUpWait;
    };

export function judgeWaiting(waiting: Waiting, budgets: WaitBudgets, moment: WaitMoment): WaitingVerdict {
  const waitedSeconds = Math.max(0, (Date.parse(moment.now) - Date.parse(waiting.since)) / 1000);
  const boundSeconds = boundOf(waiting.for, budgets, moment.share);
  if (waitedSeconds <= boundSeconds) return { kind: 'waits', waitedSeconds };
  const { for: kind, node = null } = waiting;
  const reason = waiting.reason === null ? null : shortened(waiting.reason);
  const { seconds, what } = waitRules[kind];
  const wait = { for: kind, reason, seconds: waitedSeconds, node };
  const words = reason === null ? '' : ` (${reason})`;
  const waited = duration(waitedSeconds);
  const bound = duration(boundSeconds);
  if (seconds === null) {
    const because = `It waited ${waited} to start${words}, and budgets.waitMinutes allows ${bound}: its place in the queue is given up, and no attempt is charged.`;
    return { kind: 'too-long', waitedSeconds, because, wait };
  }
  const because = `It waited ${waited} for ${what}${words}, and ${bound} are allowed: what it holds is released.`;
  return { kind: 'too-long', waitedSeconds, because, wait };
}

/** A wait for a place goes on from the one for the job to be created at all: together they may be as long as one. */
export function withWaitBefore(waiting: Waiting, before: string | undefined): Waiting {
  const isPlace = waitRules[waiting.for].seconds === null;
  return before !== undefined && isPlace && before < waiting.since ? { ...waiting, since: before } : waiting;
}

/** What a person reads while it waits; without a full stop. */
export function sentenceOfWait({ for: kind, since, reason }: Waiting, budgets: WaitBudgets, share?: number): string {
  const words = reason === null ? '' : ` (${shortened(reason)})`;
  return `waits for ${waitRules[kind].what} since ${minuteOf(since)} UTC, at most ${duration(boundOf(kind, budgets, share))}${words}`;
}

/** Seconds. */
function boundOf(kind: WaitKind, { waitMinutes, startMinutes }: WaitBudgets, share = 0): number {
  const { seconds, isTrouble, isSpread, isTriedTwice } = waitRules[kind];
  const mostSeconds = waitMinutes * 60;
  if (seconds === null) return mostSeconds;
  const scaled = isTrouble ? seconds * ((startMinutes ?? startMinutesUnlessNamed) / startMinutesUnlessNamed) : seconds;
  return Math.min(scaled, isTriedTwice ? mostSeconds / 2 : mostSeconds) * (isSpread ? 1 + share / 2 : 1);
}
