/**
 * What follows a failed attempt, from all incidents of its phase.
 *
 * Covers attempt budgets, patience, delays, changes and nodes to avoid. Does not cover what each class costs (retry-policies.ts),
 * where to start (resume-point.ts) or what `onFailure` makes of a hold (workflows/).
 */
import { TemperError } from './errors.ts';
import type { FailureClass, GivenUpWait, Incident } from './failure.ts';
import { type BatchShape, nextMemoryRung } from './memory-ladder.ts';
import { policyFor, type RetryPolicy } from './retry-policies.ts';
import { waitRules } from './wait-rules.ts';

/** What a phase may spend; the recipe's `budgets` fit. */
export interface RetryBudgets {
  /** Charged attempts. */
  readonly attempts: number;
  readonly gpuHours?: number | undefined;
  readonly waitMinutes: number;
}

/** What the ledger knows beside the incidents. */
export interface RetrySituation {
  /** @default 0 */
  readonly gpuHoursUsed?: number;
  /** From 0 to 1: the job's own, where delays are spread. @default 0 */
  readonly share?: number;
  /** How the failed attempt cut its batch; without it a GPU that is out of memory needs a person. */
  readonly batch?: BatchShape;
  /** What the failed attempt asked for, times this. @default 1 */
  readonly memoryFactor?: number;
  /** @default 1 */
  readonly sharedMemoryFactor?: number;
  /** What the backend cannot give more of: asking again would fail the same way. @default none */
  readonly fixed?: readonly ('memory' | 'shared-memory')[];
  /** Bytes of checkpoints that may go. @default unknown: there may be some */
  readonly prunableBytes?: number;
}

export type RetryChange =
  | { readonly kind: 'micro-batch'; readonly from: BatchShape; readonly to: BatchShape }
  /** The request for memory, or for /dev/shm, times this. */
  | { readonly kind: 'memory' | 'shared-memory'; readonly factor: number }
  | { readonly kind: 'prune' };

/** Why a decision was made: data for sentences.ts. */
export type RetryReason =
  | {
      readonly rule: 'class';
      readonly class: FailureClass;
      readonly charged: boolean;
      readonly spent: number;
      readonly budget: number;
    }
  | {
      readonly rule: 'waiting';
      readonly class: FailureClass;
      readonly waitedSeconds: number;
      readonly budgetSeconds: number;
    }
  | { readonly rule: 'no-retry-helps'; readonly class: FailureClass; readonly rootCause: string }
  | {
      readonly rule: 'needs-a-person';
      readonly class: FailureClass;
      readonly rootCause: string;
      /** What it waited for in vain, where that is it: only a person mends it. */
      readonly waited?: Pick<GivenUpWait, 'for' | 'reason'>;
    }
  | {
      readonly rule: 'same-root-cause';
      readonly class: FailureClass;
      readonly rootCause: string;
      readonly times: number;
      readonly step: number;
    }
  | { readonly rule: 'no-new-step'; readonly times: number; readonly step: number }
  | { readonly rule: 'class-limit'; readonly class: FailureClass; readonly times: number; readonly atMost: number }
  | { readonly rule: 'memory-ladder-ends'; readonly batch: BatchShape | null }
  /** The backend has no notion of giving a job more of it. */
  | { readonly rule: 'cannot-change'; readonly class: FailureClass; readonly what: 'memory' | 'shared-memory' }
  | { readonly rule: 'nothing-to-prune' }
  | { readonly rule: 'attempts-spent'; readonly spent: number; readonly budget: number }
  | { readonly rule: 'gpu-hours-spent'; readonly spent: number; readonly budget: number }
  | {
      readonly rule: 'waited-too-long';
      readonly class: FailureClass;
      readonly waitedSeconds: number;
      readonly budgetSeconds: number;
    };

interface Decided {
  readonly because: RetryReason;
  readonly delaySeconds: number;
  readonly change: RetryChange | null;
  readonly avoidNodes: readonly string[];
}
export type RetryDecision =
  | (Decided & { readonly kind: 'resume' | 'restart' | 'wait' | 'hold' | 'fail' })
  /** Checkpoints at this step or later are not trusted. */
  | (Decided & { readonly kind: 'roll-back'; readonly rollBackBefore: number });

/** Same class, same root cause, no new completed step: a person is asked at the third. */
const sameCauseLimit = 3;
/** Failures that cost nothing are borne longer, but not for ever, while no new step is completed. */
const freeLimit = 10;
const longestDelaySeconds = 600;

/**
 * Decides what follows the last incident. `incidents` are those of the phase, oldest first, since it began or since a person
 * released it. Never loops: each path spends a budget, completes a step or ends (proved in retry.test.ts over random histories).
 */
export function decideRetry(
  budgets: RetryBudgets,
  incidents: readonly Incident[],
  situation: RetrySituation = {},
): RetryDecision {
  const last = lastOf(incidents);
  const policy = policyFor(last);
  const { class: failure, rootCause } = last;
  if (last.because.rule === 'waited' && waitRules[last.because.wait.for].mend !== undefined) {
    const { for: kind, reason } = last.because.wait;
    return ended('hold', { rule: 'needs-a-person', class: failure, rootCause, waited: { for: kind, reason } });
  }
  if (policy.then === 'fail') return ended('fail', { rule: 'no-retry-helps', class: failure, rootCause });
  if (policy.then === 'hold') return ended('hold', { rule: 'needs-a-person', class: failure, rootCause });
  const limit = limitReached(budgets, incidents, situation);
  if (limit !== null) return ended('hold', limit);
  const changed = changeFor(policy, last.class, situation);
  if ('ends' in changed) return ended('hold', changed.ends);
  const decided = {
    because: reasonToGoOn(budgets, incidents),
    delaySeconds: spread(delayAfter(sinceNewStep(incidents)), policy, situation),
    change: changed.change,
    avoidNodes: nodesToAvoid(incidents),
  };
  if (policy.then === 'wait') return { kind: 'wait', ...decided };
  if (policy.then === 'roll-back')
    return { kind: 'roll-back', rollBackBefore: last.firstNotFiniteStep ?? last.step, ...decided };
  return { kind: last.completedStep > 0 ? 'resume' : 'restart', ...decided };
}

function ended(kind: 'hold' | 'fail', because: RetryReason): RetryDecision {
  return { kind, because, delaySeconds: 0, change: null, avoidNodes: [] };
}

/** The first limit that the history has reached, if any. */
function limitReached(
  budgets: RetryBudgets,
  incidents: readonly Incident[],
  situation: RetrySituation,
): RetryReason | null {
  const last = lastOf(incidents);
  const since = sinceNewStep(incidents);
  const policy = policyFor(last);
  const gpuHours = situation.gpuHoursUsed ?? 0;
  if (budgets.gpuHours !== undefined && gpuHours >= budgets.gpuHours) {
    return { rule: 'gpu-hours-spent', spent: gpuHours, budget: budgets.gpuHours };
  }
  if (policy.then === 'wait') {
    const waitedSeconds = waited(since);
    const budgetSeconds = budgets.waitMinutes * 60;
    return waitedSeconds < budgetSeconds
      ? null
      : { rule: 'waited-too-long', class: last.class, waitedSeconds, budgetSeconds };
  }
  if (policy.charge === 'free') {
    const times = since.filter((one) => policyFor(one).charge === 'free' && policyFor(one).then !== 'wait').length;
    return times < freeLimit ? null : { rule: 'no-new-step', times, step: last.completedStep };
  }
  const same = since.filter((one) => one.class === last.class && one.rootCause === last.rootCause).length;
  if (same >= sameCauseLimit) {
    return {
      rule: 'same-root-cause',
      class: last.class,
      rootCause: last.rootCause,
      times: same,
      step: last.completedStep,
    };
  }
  const times = incidents.filter((one) => one.class === last.class).length;
  if (policy.atMost !== undefined && times > policy.atMost) {
    return { rule: 'class-limit', class: last.class, times, atMost: policy.atMost };
  }
  const spent = chargedOf(incidents);
  return spent < budgets.attempts ? null : { rule: 'attempts-spent', spent, budget: budgets.attempts };
}

function reasonToGoOn(budgets: RetryBudgets, incidents: readonly Incident[]): RetryReason {
  const last = lastOf(incidents);
  if (policyFor(last).then === 'wait') {
    const waitedSeconds = waited(sinceNewStep(incidents));
    return { rule: 'waiting', class: last.class, waitedSeconds, budgetSeconds: budgets.waitMinutes * 60 };
  }
  const isCharged = policyFor(last).charge === 'attempt';
  return {
    rule: 'class',
    class: last.class,
    charged: isCharged,
    spent: chargedOf(incidents),
    budget: budgets.attempts,
  };
}

function changeFor(
  policy: RetryPolicy,
  name: FailureClass,
  situation: RetrySituation,
): { readonly change: RetryChange | null } | { readonly ends: RetryReason } {
  const { batch, memoryFactor = 1, sharedMemoryFactor = 1, fixed = [], prunableBytes } = situation;
  if (policy.change === undefined) return { change: null };
  switch (policy.change) {
    case 'micro-batch': {
      const to = batch === undefined ? null : nextMemoryRung(batch);
      if (batch === undefined || to === null) return { ends: { rule: 'memory-ladder-ends', batch: batch ?? null } };
      return { change: { kind: 'micro-batch', from: batch, to } };
    }
    case 'memory':
    case 'shared-memory': {
      const kind = policy.change;
      if (fixed.includes(kind)) return { ends: { rule: 'cannot-change', class: name, what: kind } };
      return { change: { kind, factor: kind === 'memory' ? memoryFactor * 1.5 : sharedMemoryFactor * 2 } };
    }
    case 'prune':
      return prunableBytes === 0 ? { ends: { rule: 'nothing-to-prune' } } : { change: { kind: 'prune' } };
  }
}

/** Incidents without a step completed between them: the last one that brought a new step, and all after it. */
function sinceNewStep(incidents: readonly Incident[]): readonly Incident[] {
  let best = 0;
  let first = 0;
  incidents.forEach((incident, index) => {
    if (incident.completedStep <= best && !doneSomething(incident)) return;
    best = Math.max(best, incident.completedStep);
    first = index;
  });
  return incidents.slice(first);
}

/** An evaluation counts anew in each attempt: what is done already is not asked again. */
const doneSomething = ({ newProblems = 0 }: Incident): boolean => newProblems > 0;

function delayAfter(since: readonly Incident[]): number {
  const last = lastOf(since);
  const before = since.filter((one) => one.class === last.class).length - 1;
  return Math.min(longestDelaySeconds, policyFor(last).delaySeconds * 2 ** before);
}

function spread(delaySeconds: number, { isSpread }: RetryPolicy, { share = 0 }: RetrySituation): number {
  return isSpread ? Math.round(delaySeconds * (1 + share)) : delaySeconds;
}

/** What jobs waited to start, and the delays that earlier waits were given: so that waiting ends whatever was measured. */
function waited(since: readonly Incident[]): number {
  const delays = since.slice(0, -1).map((one, index) => {
    return policyFor(one).then === 'wait' ? delayAfter(since.slice(0, index + 1)) : 0;
  });
  const waits = since.map(({ waitedSeconds = 0 }) => waitedSeconds);
  return [...delays, ...waits].reduce((total, seconds) => total + seconds, 0);
}

/** A wish, not a must: where no other node exists, the backend may use one of these again. */
function nodesToAvoid(incidents: readonly Incident[]): readonly string[] {
  const seen = new Map<string, number>();
  for (const incident of incidents) {
    const { node } = incident;
    const { avoid } = policyFor(incident);
    if (node === null || avoid === undefined) continue;
    seen.set(node, (seen.get(node) ?? 0) + (avoid === 'node' ? 2 : 1));
  }
  return [...seen]
    .filter(([, times]) => times >= 2)
    .map(([node]) => node)
    .sort();
}

function chargedOf(incidents: readonly Incident[]): number {
  return incidents.filter((one) => policyFor(one).charge === 'attempt').length;
}

function lastOf(incidents: readonly Incident[]): Incident {
  const last = incidents.at(-1);
  if (last === undefined)
    throw new TemperError('ledger-conflict', 'there is no incident, so there is nothing to decide');
  return last;
}
