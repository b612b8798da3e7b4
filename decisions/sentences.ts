/**
 * Reasons → words: the sentences that the page, the CLI, the webhook and the report show of attempts.
 *
 * Covers classes, retry decisions, resume points, stalls and identities. Does not cover gates (gate-sentences.ts).
 */
import { nodeUnreachable, podDeleted, podVanished } from './backend-reasons.ts';
import { shapeText } from './change-sentences.ts';
import type { ClassReason, FailureClass, GivenUpWait, HungProcess, OfRank, StopReason } from './failure.ts';
import type { IdentityDifference } from './identity.ts';
import type { ResumePoint, SkippedCheckpoint } from './resume-point.ts';
import type { RetryChange, RetryDecision, RetryReason } from './retry.ts';
import type { ProgressVerdict } from './stall.ts';
import { waitRules } from './wait-rules.ts';

/** Why a failure got its class. */
export function sentenceOfClass(name: FailureClass, because: ClassReason): string {
  return `${name}: ${reasonText(because)}.`;
}

/** What was decided after a failure, and why. */
export function sentenceOfRetry(decision: RetryDecision, purpose: 'train' | 'evaluate' = 'train'): string {
  const isGivenUp = purpose === 'evaluate' && (decision.kind === 'hold' || decision.kind === 'fail');
  // Its phase goes on all the same: only a gate that asks for them in vain holds it.
  const does = isGivenUp ? `Gives up ${givenUpEvaluations}` : action(decision);
  return `${does}: ${retryReasonText(decision.because)}.`;
}

/** Of an evaluation job that is not tried again, as a part of a sentence. */
export const givenUpEvaluations = 'these evaluations until the gate asks for them again';

/** Who let a held phase go on, and why; without a full stop. */
export function sentenceOfRelease({
  by = 'a person',
  reason,
}: {
  readonly by?: string;
  readonly reason?: string;
}): string {
  return `released by ${by}${reason === undefined ? '' : `: ${reason}`}`;
}

/** Where an attempt starts, and what was passed over; `anew`: who had the phase begin anew with this attempt, without a full stop. */
export function sentenceOfResumePoint(point: ResumePoint, anew: string | null = null): string {
  const skipped = point.skipped.map((one) => ` ${sentenceOfSkip(one)}`).join('');
  if (point.kind === 'resume') return `Goes on from ${point.checkpoint.id} at step ${point.checkpoint.step}.${skipped}`;
  return `Starts at the phase's start: ${anew ?? 'there is no checkpoint to go on from'}.${skipped}`;
}

/** Why a newer checkpoint was passed over. */
export function sentenceOfSkip(skipped: SkippedCheckpoint): string {
  const { id, why } = skipped;
  switch (why.rule) {
    case 'torn':
      return `${id} is not complete${why.damage === null ? '' : ` (${why.damage})`}.`;
    case 'weights-only':
      return `${id} holds weights alone: without its optimizer and random state training would not go on but begin anew.`;
    case 'not-finite':
      return `${id} was made after a loss or gradient that was not finite.`;
    case 'never-resumes':
      return `${id} is there, and the command takes none: it has no resumeArgs.`;
    case 'rolled-back':
      return `${id} lies at step ${skipped.step}, and only checkpoints before step ${why.before} are trusted.`;
  }
}

/** Whether a running attempt moves. */
export function sentenceOfProgress(verdict: ProgressVerdict): string {
  const idle = duration(verdict.idleSeconds);
  const budget = duration(verdict.budgetSeconds);
  if (verdict.kind === 'alive') return `It is ${verdict.doing}; last movement ${idle} ago, ${budget} are allowed.`;
  return `It has been ${verdict.doing} without movement at step ${verdict.step} for ${idle}; ${budget} are allowed.`;
}

/** Why a finished phase is not reused. */
export function sentenceOfDifference(difference: IdentityDifference): string {
  return `Not reused: ${difference.path} was ${shown(difference.before)} and is now ${shown(difference.after)}.`;
}

/** Where the processes of a stalled attempt hung: the innermost frames of each. */
export function linesOfHung(hung: readonly HungProcess[]): string[] {
  return hung.flatMap(({ rank, frames }) =>
    frames
      .slice(0, 4)
      .map((frame, index) => (index === 0 ? `hung: rank ${rank} at ${frame}` : `hung:   called by ${frame}`)),
  );
}

/** Seconds as a person says them. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** The same without its class, as a part of a sentence. */
export function reasonText(because: ClassReason): string {
  switch (because.rule) {
    case 'log-line':
      return `${whoEnded(because)} said "${because.line}"`;
    case 'exit-code':
      return `${whoEnded(because)} ended with exit code ${because.exitCode}`;
    case 'signal':
      return `${whoEnded(because)} was ended by ${because.signal}`;
    case 'backend-reason':
      return backendReason(because);
    case 'end-unseen':
      return because.began
        ? `nobody saw ${whoEnded(because)} end: what watched it died too`
        : `${whoEnded(because)} never began: what was to start it died`;
    case 'trainer-said':
      return `the trainer stopped itself (${because.reason}): ${because.message}`;
    case 'stopped-by-temper':
      return whyStopped(because.why);
    case 'waited':
      return waitedFor(because.wait);
    case 'no-result':
      return 'it ended without a result, and an exit code alone proves nothing';
    case 'result-of-another-job':
      return `the result found belongs to attempt ${because.attempt} of ${because.job}, not to this job`;
    case 'vanished':
      return 'the job is gone, and it left neither a result nor a record of its end';
    case 'checkpoint-damaged':
      return `${because.path} is damaged: ${because.why}`;
    case 'store-full':
      return `the store is full: ${(because.freeBytes / 2 ** 20).toFixed(0)} MiB are left`;
    default:
      return unprovenReason(because);
  }
}

function whyStopped(why: StopReason): string {
  switch (why) {
    case 'node-lost':
      return 'a node of it did not answer, so that Temper stopped it';
    case 'preempted':
      return 'its queue gave its place to another job, so that Temper stopped it';
    case 'queue-evicted':
      return 'its queue took its place away, so that Temper stopped it';
    case 'waited':
      return 'it could not start, so that Temper stopped it';
    case 'collapse':
      return 'its scores fell, so that Temper stopped it';
    case 'hold':
      return 'a person holds its phase, so that Temper stopped it';
    case 'cancel':
    case 'shutdown':
    case 'stalled':
    case 'deadline':
      return `Temper stopped it (${why})`;
  }
}

function waitedFor({ for: kind, reason, seconds }: GivenUpWait): string {
  return `it waited ${duration(seconds)} for ${waitRules[kind].what}${reason === null ? '' : ` (${reason})`}`;
}

/** `rank 5`, or by its role what serves the trainers: `engine 1`. */
export function whoEnded({ rank, role, container }: OfRank): string {
  const who = role === undefined ? `rank ${rank}` : `${role.name} ${role.index}`;
  return container === undefined ? who : `container ${container} of ${who}`;
}

function backendReason(because: Extract<ClassReason, { rule: 'backend-reason' }>): string {
  const { reason, node } = because;
  if (reason === nodeUnreachable)
    return `node ${node ?? 'unknown'}, where ${whoEnded(because)} ran, does not answer any more`;
  const where = node === undefined ? '' : ` on ${node}`;
  if (reason === podDeleted) return `the pod of ${whoEnded(because)}${where} was deleted, and not by Temper`;
  if (reason === podVanished) return `the pod of ${whoEnded(because)}${where} is gone, and nobody saw it end`;
  const says = because.says === undefined ? '' : `: ${because.says.replace(/[.\s]+$/, '')}`;
  return `the backend says ${reason} of ${whoEnded(because)}${where}${says}`;
}

type UnprovenReason = Extract<
  ClassReason,
  {
    rule:
      | 'no-step-trained'
      | 'steps-missing'
      | 'artifact-incomplete'
      | 'incomplete-evaluation'
      | 'metrics-not-finite'
      | 'weights-unchanged'
      | 'weights-unknown'
      | 'started-at-step'
      | 'started-elsewhere'
      | 'target-not-saved'
      | 'another-history';
  }
>;

function unprovenReason(because: UnprovenReason): string {
  switch (because.rule) {
    case 'no-step-trained':
      return `it says it is done but trained no step (it started at step ${because.startStep} of ${because.targetStep})`;
    case 'steps-missing':
      return `it says it is done at step ${because.finalStep} of ${because.targetStep}`;
    case 'artifact-incomplete':
      return `it says it is done, but the checkpoint of step ${because.step} is not complete on the store`;
    case 'incomplete-evaluation': {
      const others = because.evaluations > 1 ? `, and ${because.evaluations - 1} more are not whole` : '';
      return `it says it is done, and what it left is no evaluation: ${because.why}${others}`;
    }
    case 'metrics-not-finite':
      return `${because.metric ?? 'a loss or gradient norm'} was not a finite number`;
    case 'weights-unchanged':
      return 'the weights are the same after training as before';
    case 'weights-unknown':
      return 'it does not say which weights it had before and after training';
    case 'started-at-step':
      return `it was told to start at step ${because.want} and started at step ${because.was}`;
    case 'target-not-saved':
      return because.savedStep === null
        ? `it ended without a complete checkpoint, and step ${because.targetStep} was to be reached`
        : `it ended with a complete checkpoint of step ${because.savedStep}, and step ${because.targetStep} was to be reached`;
    case 'another-history':
      return `its log of the steps up to ${because.step} is not the one of the checkpoint it was told to go on from`;
    case 'started-elsewhere':
      return `it was told to start from ${shortDigest(because.want)} and loaded ${shortDigest(because.was)}`;
  }
}

function action(decision: RetryDecision): string {
  const after = decision.delaySeconds > 0 ? ` in ${duration(decision.delaySeconds)}` : '';
  const change = decision.change === null ? '' : `, ${changeText(decision.change)}`;
  const nodes = decision.avoidNodes.length === 0 ? '' : `, away from ${decision.avoidNodes.join(', ')}`;
  const more = `${after}${change}${nodes}`;
  switch (decision.kind) {
    case 'resume':
      return `Resumes from the newest checkpoint${more}`;
    case 'restart':
      return `Starts again${more}`;
    case 'roll-back':
      return `Rolls back to the last finite checkpoint before step ${decision.rollBackBefore}${more}`;
    case 'wait':
      return `Waits and tries again${more}`;
    case 'hold':
      return 'Holds for a person, GPUs released';
    case 'fail':
      return 'Fails';
  }
}

/** What differs, as a part of a sentence. */
export function changeText(change: RetryChange): string {
  switch (change.kind) {
    case 'micro-batch':
      return `micro-batch × accumulation ${shapeText(change.to)} instead of ${shapeText(change.from)}`;
    case 'memory':
      return `with ${change.factor.toFixed(2)} times the memory`;
    case 'shared-memory':
      return `with ${change.factor.toFixed(2)} times the shared memory`;
    case 'prune':
      return 'after pruning what may go';
  }
}

/** Why it was decided so, as a part of a sentence that says beside it what happened. */
export function retryReasonText(because: RetryReason): string {
  switch (because.rule) {
    case 'class':
      if (!because.charged) return `${because.class} costs no attempt (${because.spent} of ${because.budget} spent)`;
      return `${because.class} cost an attempt, ${because.spent} of ${because.budget} are spent`;
    case 'waiting':
      return `${because.class}, waited ${duration(because.waitedSeconds)} of at most ${duration(because.budgetSeconds)}`;
    case 'no-retry-helps':
      return `no retry mends ${because.class}`;
    case 'needs-a-person':
      if (because.waited !== undefined) return `${mendOfWait(because.waited)}, then let it go on`;
      return `${because.class} needs a person to look`;
    case 'same-root-cause':
      return `the same cause ${because.times} times without a new step after step ${because.step}`;
    case 'no-new-step':
      return `stopped ${because.times} times from outside without a new step after step ${because.step}`;
    case 'class-limit':
      return `${because.class} happened ${because.times} times, and is answered ${because.atMost} times by itself`;
    case 'memory-ladder-ends':
      if (because.batch === null) return 'the GPU is out of memory, and how the batch is cut is not known';
      return `the GPU is out of memory with ${shapeText(because.batch)}, which cannot be cut smaller`;
    case 'cannot-change':
      return `${because.class}, and this backend cannot give a job more ${because.what === 'memory' ? 'memory' : 'shared memory'}: the same attempt would fail the same way`;
    case 'nothing-to-prune':
      return 'the store is full, and none of the checkpoints of this phase may go';
    case 'attempts-spent':
      return `all ${because.budget} attempts are spent`;
    case 'gpu-hours-spent':
      return `${because.spent.toFixed(2)} of ${because.budget.toFixed(2)} GPU hours are spent`;
    case 'waited-too-long':
      return `${because.class}, waited ${duration(because.waitedSeconds)} of at most ${duration(because.budgetSeconds)}`;
  }
}

/** What a person does about a wait that time does not end. */
function mendOfWait({ for: kind, reason }: Pick<GivenUpWait, 'for' | 'reason'>): string {
  const missing = /(secret|configmap) "([^"]*)" not found/i.exec(reason ?? '');
  if (missing !== null) return `make the ${(missing[1] ?? '').toLowerCase()} "${missing[2] ?? ''}"`;
  const { mend } = waitRules[kind];
  return mend ?? 'mend what it waits for';
}

function shortDigest(digest: string | null): string {
  return digest === null ? 'nothing' : digest.slice(0, 12);
}

function shown(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}
