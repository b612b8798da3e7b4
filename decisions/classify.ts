/**
 * Evidence → what happened: the attempt completed, or it failed with a class and a root cause.
 *
 * Covers the order in which evidence speaks: proof, the trainer's own words, Temper's own stop, the process that failed first.
 * Does not cover gathering evidence (k8s/, local/, store/), what is proof (proof.ts) or what follows (retry.ts).
 */
import { classOfReason, wordsBeside } from './backend-reasons.ts';
import { comparable } from './comparable.ts';
import { firstNotFiniteOf } from './decisive-metrics.ts';
import type { ClassReason, Evidence, FailureClass, GivenUpWait, Incident, RankEnd, TrainerResult } from './failure.ts';
import { proveByObservation } from './proof-by-observation.ts';
import { proveCompletion } from './proof.ts';
import { waitRules } from './wait-rules.ts';
import { type Cause, causeInLog, rootCauseOf, type WeighedCause } from './root-cause.ts';

/** A failed attempt, before it is numbered. */
export interface Failure extends Cause {
  readonly kind: 'failed';
}
export type Verdict = { readonly kind: 'completed'; readonly finalStep: number } | Failure;

/** With less than this left on the store, an error that nobody knows is that of a full disk. */
const leastFreeBytes = 16 * 2 ** 20;

/** Names what happened. A complete, valid result of this job beats a bad exit code and a job that is gone. */
export function classify(evidence: Evidence): Verdict {
  const verdict = classifyEnd(evidence);
  return verdict.kind === 'failed' && verdict.class === 'resume-damaged' ? whichIsDamaged(verdict, evidence) : verdict;
}

function classifyEnd(evidence: Evidence): Verdict {
  const { observed } = evidence;
  const proof = observed ? proveByObservation(evidence, observed) : proveCompletion(evidence);
  if (proof.kind === 'proved') return { kind: 'completed', finalStep: proof.finalStep };
  const root = rootCauseOf(evidence.ranks);
  if (proof.kind === 'disproved') {
    return (
      explainedByLog(evidence, proof.because) ??
      ownStop(evidence, root, proof.class) ??
      failed(proof.class, proof.because)
    );
  }
  if (proof.kind === 'not-done') {
    return trainerSaid(proof.result) ?? ownStop(evidence, root) ?? stoppedByOthers(root, proof.result);
  }
  return (
    ownStop(evidence, root) ??
    failedProcess(evidence, root) ??
    quietEnd(evidence) ??
    nothingLeft(evidence, proof.because)
  );
}

/** The incident of a failed attempt. `completedStep`: of the newest complete checkpoint of the phase, 0 without one. */
export function incidentOf(failure: Failure, evidence: Evidence, completedStep: number): Incident {
  const { rootCause, rank, node, because } = failure;
  const step = evidence.lastProgress?.step ?? 0;
  const { asked, firstNotFiniteStep, newProblems, waited } = evidence;
  const { class: name } = failure;
  return {
    attempt: asked.attempt,
    class: name,
    rootCause,
    rank,
    node,
    step,
    completedStep,
    firstNotFiniteStep,
    ...(newProblems === undefined ? {} : { newProblems }),
    ...(waited === undefined ? {} : { waitedSeconds: waited.seconds }),
    because,
  };
}

function failed(name: FailureClass, because: ClassReason, rootCause: string = because.rule): Failure {
  return { kind: 'failed', class: name, rootCause, rank: null, node: null, because };
}

function failedOf({ class: name, rootCause, rank, node, because }: Cause): Failure {
  return { kind: 'failed', class: name, rootCause, rank, node, because };
}

/** An artifact that is missing has a reason that the log may know, such as a full disk. */
function explainedByLog(evidence: Evidence, because: ClassReason): Failure | null {
  if (because.rule !== 'artifact-incomplete' && because.rule !== 'incomplete-evaluation') return null;
  const cause = evidence.ranks.map((end) => causeInLog(end, ['cause'])).find((one) => one !== null);
  return cause === undefined ? null : failedOf(cause);
}

/** What the log or the trainer calls damaged: the checkpoint it was to go on from, or the one that the phase starts from. */
function whichIsDamaged(failure: Failure, { asked, lastProgress }: Evidence): Failure {
  const { because } = failure;
  const why = because.rule === 'checkpoint-damaged' ? because.why : because.rule === 'log-line' ? because.line : '';
  const named = because.rule === 'checkpoint-damaged' ? because.path : null;
  const { resume, start } = asked;
  const hasTrained = lastProgress !== null && lastProgress.step > (resume?.step ?? 0);
  if (named === null && hasTrained) return { ...failure, class: 'unknown' };
  if (resume !== null && (named === null || named === resume.path)) return damaged('resume-damaged', resume.path, why);
  const path = named ?? start?.path;
  return path === undefined ? { ...failure, class: 'data-missing' } : damaged('start-damaged', path, why);
}

function damaged(name: 'resume-damaged' | 'start-damaged', path: string, why: string): Failure {
  return failed(name, { rule: 'checkpoint-damaged', path, why }, `${path}: ${why}`);
}

/** A failure that no retry mends, by the trainer's own word; a damaged checkpoint is one that it names. */
function trainerSaid(result: TrainerResult): Failure | null {
  if (result.status !== 'failed') return null;
  if (result.damaged !== null) return damaged('resume-damaged', result.damaged.path, result.damaged.why);
  if (result.reason === null) return null;
  const message = result.message ?? 'no message';
  const name = result.reason === 'data' ? 'data-missing' : 'config';
  return failed(name, { rule: 'trainer-said', reason: result.reason, message }, message);
}

const classesOfStop = {
  cancel: 'interrupted',
  shutdown: 'interrupted',
  hold: 'interrupted',
  stalled: 'stalled',
  deadline: 'deadline',
  waited: 'unschedulable',
  'node-lost': 'node-lost',
  preempted: 'preempted',
  'queue-evicted': 'queue-evicted',
  collapse: 'interrupted',
} as const;

function isOfLostNode(end: RankEnd): boolean {
  return classOfReason(end.reason, wordsBeside(end)) === 'node-lost';
}

/** Temper's own stop explains the end, unless a process had a cause of its own or the result is worse than incomplete. */
function ownStop(evidence: Evidence, root: WeighedCause | null, disproved?: FailureClass): Failure | null {
  const why = evidence.stoppedByTemper;
  if (why === 'no' || disproved === 'resume-mismatch' || disproved === 'not-finite') return null;
  // Whatever those of its processes that ran died of, they had waited for the others.
  if (evidence.waited !== undefined) return gaveUp(evidence.waited);
  // Whatever its peers died of, with the node they lost their peer.
  const lost = why === 'node-lost' ? rootCauseOf(evidence.ranks.filter(isOfLostNode)) : null;
  if (lost !== null) return failedOf(lost);
  if (root?.because.rule === 'log-line' && root.weight === 'cause') return null;
  const doing = evidence.lastProgress?.doing ?? 'starting';
  return failed(
    classesOfStop[why],
    { rule: 'stopped-by-temper', why },
    why === 'stalled' ? `stalled while ${doing}` : `stopped: ${why}`,
  );
}

function gaveUp(wait: GivenUpWait): Failure {
  const { class: name, what } = waitRules[wait.for];
  const because: ClassReason = { rule: 'waited', wait };
  return {
    kind: 'failed',
    class: name,
    rootCause: comparable(wait.reason ?? what),
    rank: null,
    node: wait.node,
    because,
  };
}

/** It stopped in order, and not because Temper asked: someone else did, as a rule with a better name for it. */
function stoppedByOthers(root: Cause | null, result: TrainerResult): Failure {
  if (root !== null && (result.status === 'failed' || root.class !== 'unknown')) return failedOf(root);
  const message = result.message ?? 'no message';
  const because: ClassReason = { rule: 'trainer-said', reason: result.status, message };
  return failed(result.status === 'stopped' ? 'interrupted' : 'unknown', because, `${result.status}: ${message}`);
}

function failedProcess(evidence: Evidence, root: Cause | null): Failure | null {
  if (root === null) return null;
  if (root.class === 'unknown') {
    const metric = firstNotFiniteOf(evidence.lastProgress?.metrics ?? {});
    if (metric !== null)
      return failedOf({ ...root, class: 'not-finite', because: { rule: 'metrics-not-finite', metric } });
    const { storeFreeBytes } = evidence;
    if (storeFreeBytes !== null && storeFreeBytes < leastFreeBytes)
      return failedOf({ ...root, class: 'disk-full', because: { rule: 'store-full', freeBytes: storeFreeBytes } });
  }
  return failedOf(root);
}

/** A server that kills itself may end with 0 (as the first process of its container), and a script may swallow its error. */
function quietEnd({ ranks, result }: Evidence): Failure | null {
  if (result !== null) return null;
  const causes = ranks.map((end) => causeInLog(end, ['cause', 'symptom'])).filter((one) => one !== null);
  const first = causes.find(({ weight }) => weight === 'cause') ?? causes[0];
  return first === undefined ? null : failedOf(first);
}

function nothingLeft(evidence: Evidence, because: ClassReason): Failure {
  if (evidence.job === 'vanished') return failed('job-lost', { rule: 'vanished' });
  return failed('unproven', because);
}
