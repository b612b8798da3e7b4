/**
 * For how long a phase is held for a person, and what follows when nobody came.
 *
 * Does not cover what a phase is held for (retry.ts, gate.ts) or the timer (workflows/hold.ts).
 */
import type { Recipe } from '../configs/schema.ts';
import { minuteOf } from './utc-minute.ts';

export type HoldRule = Recipe['hold'];

/** Of pipelines that were resolved before recipes said it. */
export const holdRuleOfOlderRuns: HoldRule = { hours: 24, then: 'fail' };

/**
 * `failure`: an attempt or the store needs a person. `gate`: there is nothing to promote, or it cannot be judged. `undecided`: the evidence does
 * not decide, and there is a highest. `collapse`: scores fell while it trained, and the best before is the highest.
 */
export type HeldFor = 'failure' | 'gate' | 'undecided' | 'collapse';

export type EndOfHold = HoldRule['then'];

/** What follows when nobody came: what the recipe says, where there is such a thing, and else the end of the phase. */
export function endOfHold(
  { then }: HoldRule,
  of: { readonly heldFor: HeldFor; readonly hasParent: boolean },
): EndOfHold {
  if (then === 'keep-parent' && of.hasParent && of.heldFor !== 'failure') return then;
  return then === 'highest' && (of.heldFor === 'undecided' || of.heldFor === 'collapse') ? then : 'fail';
}

/** For example `24 hours`. */
export function holdTime({ hours }: HoldRule): string {
  return `${String(hours)} ${hours === 1 ? 'hour' : 'hours'}`;
}

/** For a page: `until 2026-12-01 10:00 UTC, then it fails`. */
export function untilWhen({ until, then }: { readonly until: string; readonly then: EndOfHold }): string {
  return `until ${minuteOf(until)} UTC, then ${whatThen[then]}`;
}

export const whatThen: Readonly<Record<EndOfHold, string>> = {
  fail: 'it fails',
  highest: 'the highest goes on',
  'keep-parent': 'its parent goes on',
};
