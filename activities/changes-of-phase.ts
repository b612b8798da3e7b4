/**
 * What earlier attempts of a phase changed, from the decisions in the ledger: so that nothing of it travels through the workflow.
 *
 * Does not cover adding decisions up (decisions/attempt-changes.ts) or carrying changes out.
 */
import type { DecidedAfter } from '../decisions/attempt-changes.ts';
import type { RetryDecision } from '../decisions/retry.ts';
import { sentenceOfBeginningAnew, type SteeredBy, type SteeringRequest } from '../decisions/steering-sentences.ts';
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
  return Math.max(0, ...(await askedToBeginAnew(ledger, of)).map(({ attempt }) => attempt ?? 0));
}

/** Who had the phase begin anew, and why, where this attempt is the first since then; null else. */
export async function begunAnewWith(
  ledger: Ledger,
  of: OfPhase & { readonly workflowId: string },
  attempt: number,
): Promise<string | null> {
  const asked = await askedToBeginAnew(ledger, of);
  const last = asked.at(-1);
  if (last === undefined) return null;
  const others = await ledger.attemptsOf({ ...of, purpose: 'train' });
  if (others.some(({ number }) => number > (last.attempt ?? 0) && number < attempt)) return null;
  return sentenceOfBeginningAnew(last.set, last.evidence as SteeredBy);
}

async function askedToBeginAnew(ledger: Ledger, of: OfPhase) {
  return (await ledger.decisionsOf(of)).flatMap(({ question, answer, attempt, evidence }) => {
    if (question !== 'steering') return [];
    const request = answer as SteeringRequest;
    return request.message === 'retryPhase' ? [{ attempt, evidence, set: request.set }] : [];
  });
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
