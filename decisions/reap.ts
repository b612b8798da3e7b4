/**
 * Whether a living job has outlived the workflow run that owns it.
 *
 * A run that is terminated by hand stops nothing: its job would run for nobody. Covers the rule. Does not cover finding jobs and runs, or
 * stopping (workers/reaper.ts).
 */

/** What is known of the run that owns a job. */
export type OwnerState =
  | { readonly kind: 'open' }
  /** ISO 8601. */
  | { readonly kind: 'closed'; readonly closedAt: string }
  /** The server has never heard of it, or has forgotten it: another server's job, perhaps. */
  | { readonly kind: 'unknown' };

export type ReapDecision =
  | { readonly kind: 'leave'; readonly because: 'owner-open' | 'owner-unknown' | 'closed-lately' }
  | { readonly kind: 'stop'; readonly closedAt: string };

/** What became of the stop of a job, as far as it was waited for. */
export type StopOutcome =
  | { readonly kind: 'stopped' }
  /** It was asked, and saves. */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'refused'; readonly because: string };

/** A run that closes in order needs some time for its last acts; no more than this. */
const patienceMinutes = 10;

/** `now` is ISO 8601. What is not certain is left alone. */
export function judgeOwner(owner: OwnerState, now: string): ReapDecision {
  switch (owner.kind) {
    case 'open':
      return { kind: 'leave', because: 'owner-open' };
    case 'unknown':
      return { kind: 'leave', because: 'owner-unknown' };
    case 'closed': {
      const minutes = (Date.parse(now) - Date.parse(owner.closedAt)) / 60_000;
      return minutes > patienceMinutes
        ? { kind: 'stop', closedAt: owner.closedAt }
        : { kind: 'leave', because: 'closed-lately' };
    }
  }
}

/** Why a job goes or stays, for people. */
export function sentenceOfReap(decision: ReapDecision): string {
  if (decision.kind === 'stop') return `its workflow run closed at ${decision.closedAt}`;
  switch (decision.because) {
    case 'owner-open':
      return 'its workflow run is open';
    case 'owner-unknown':
      return 'this Temporal server does not know its workflow run';
    case 'closed-lately':
      return `its workflow run closed less than ${String(patienceMinutes)} minutes ago`;
  }
}
