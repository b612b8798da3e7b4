/**
 * What earlier attempts of a phase changed, from the decisions in the ledger: so that nothing of it travels through the workflow.
 *
 * Does not cover adding decisions up (decisions/attempt-changes.ts) or carrying changes out.
 */
import type { DecidedAfter } from '../decisions/attempt-changes.ts';
import type { RetryDecision } from '../decisions/retry.ts';
import type { SteeringRequest } from '../decisions/steering-sentences.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { AttemptPurpose } from '../store/ledger/schema.ts';

interface OfPhase {
  readonly runId: string;
  readonly phase: string;
}

/** Names the decision that follows the end of an attempt. */
export function retryKey(of: OfPhase, purpose: AttemptPurpose, attempt: number): string {
  return `${of.runId}/${of.phase}/${purpose}/${String(attempt)}/retry`;
}

/** The last attempt before a person had the phase begin anew, in this run: nothing of those up to it counts. 0 where nobody did. */
export async function begunAnewAfter(ledger: Ledger, of: OfPhase): Promise<number> {
  const anew = (await ledger.decisionsOf(of)).filter(
    ({ question, answer }) => question === 'steering' && (answer as SteeringRequest).message === 'retryPhase',
  );
  return Math.max(0, ...anew.map(({ attempt }) => attempt ?? 0));
}

/** The decisions that followed the training attempts of a phase in one run, by attempt; none from before it began anew. */
export async function decidedAfterAttempts(ledger: Ledger, of: OfPhase): Promise<readonly DecidedAfter[]> {
  const decisions = await ledger.decisionsOf(of);
  const anew = await begunAnewAfter(ledger, of);
  return decisions
    .flatMap(({ key, attempt, answer }) =>
      attempt !== null && attempt > anew && key === retryKey(of, 'train', attempt)
        ? [{ attempt, decision: answer as RetryDecision }]
        : [],
    )
    .sort((one, other) => one.attempt - other.attempt);
}
