/**
 * What each failure class costs and what follows. One row per class; the compiler refuses a missing one.
 *
 * Covers a class by itself, and an incident that never started. Does not cover limits over several incidents (retry.ts).
 */
import type { FailureClass, Incident } from './failure.ts';

export interface RetryPolicy {
  readonly then: 'resume' | 'roll-back' | 'wait' | 'hold' | 'fail';
  /** Whether a failure of this class costs one attempt of the budget. */
  readonly charge: 'free' | 'attempt';
  /** Seconds before the next attempt; doubled with each further one without a new completed step. */
  readonly delaySeconds: number;
  /** Nodes to keep away from: where it happened, or where it happened twice. */
  readonly avoid?: 'node' | 'node-on-repeat';
  /** The delay is longer by up to itself, different for each job: two that were in each other's way do not come back together. */
  readonly isSpread?: true;
  /** What has to differ next time; without it the same failure would follow. */
  readonly change?: 'micro-batch' | 'memory' | 'shared-memory' | 'prune';
  /** What the attempt saved is nowhere to go on from: a next attempt would take it as its own, and prove nothing. */
  readonly distrustsCheckpoints?: true;
  /** How often the phase may answer this class so; then a person is asked. */
  readonly atMost?: number;
}

const free = { then: 'resume', charge: 'free' } as const;
const charged = { then: 'resume', charge: 'attempt' } as const;
const waiting = { then: 'wait', charge: 'free', delaySeconds: 30 } as const;
const hopeless = { then: 'fail', charge: 'attempt', delaySeconds: 0 } as const;

export const retryPolicies: Readonly<Record<FailureClass, RetryPolicy>> = {
  preempted: { ...free, delaySeconds: 2 },
  evicted: { ...free, delaySeconds: 5 },
  'node-lost': { ...free, delaySeconds: 5, avoid: 'node-on-repeat' },
  interrupted: { ...free, delaySeconds: 1 },
  'nccl-watchdog': { ...charged, delaySeconds: 10, avoid: 'node-on-repeat' },
  'engine-watchdog': { ...charged, delaySeconds: 10, avoid: 'node-on-repeat' },
  'engine-dead': { ...charged, delaySeconds: 10, avoid: 'node-on-repeat' },
  'ray-lost': { ...charged, delaySeconds: 10, avoid: 'node-on-repeat' },
  stalled: { ...charged, delaySeconds: 1, avoid: 'node-on-repeat' },
  killed: { ...charged, delaySeconds: 1, avoid: 'node-on-repeat' },
  crashed: { ...charged, delaySeconds: 1, avoid: 'node-on-repeat' },
  network: { ...charged, delaySeconds: 15, avoid: 'node-on-repeat' },
  'gpu-oom': { ...charged, delaySeconds: 1, change: 'micro-batch' },
  'host-oom': { ...charged, delaySeconds: 1, change: 'memory', atMost: 2 },
  'shm-too-small': { ...charged, delaySeconds: 1, change: 'shared-memory', atMost: 2 },
  'disk-full': { ...charged, delaySeconds: 5, change: 'prune', atMost: 2 },
  'not-finite': { then: 'roll-back', charge: 'attempt', delaySeconds: 1, atMost: 1 },
  // Bounded by the number of checkpoints: each one that proves damaged is passed over from then on.
  'resume-damaged': { ...free, delaySeconds: 0 },
  'start-damaged': { then: 'hold', charge: 'free', delaySeconds: 0 },
  hardware: { ...charged, delaySeconds: 5, avoid: 'node' },
  unschedulable: waiting,
  quota: waiting,
  'queue-evicted': waiting,
  'image-pull': { ...waiting, avoid: 'node-on-repeat' },
  mount: { ...waiting, avoid: 'node-on-repeat' },
  sandbox: { ...waiting, avoid: 'node-on-repeat' },
  'half-scheduled': { ...waiting, delaySeconds: 60, isSpread: true },
  config: hopeless,
  auth: hopeless,
  'data-missing': hopeless,
  'admission-denied': hopeless,
  'no-progress': { ...charged, delaySeconds: 1, atMost: 1, distrustsCheckpoints: true },
  'resume-mismatch': { ...charged, delaySeconds: 1, atMost: 1, distrustsCheckpoints: true },
  unproven: { ...charged, delaySeconds: 1, atMost: 2 },
  'job-lost': { then: 'hold', charge: 'attempt', delaySeconds: 0 },
  deadline: { ...charged, delaySeconds: 1 },
  unknown: { ...charged, delaySeconds: 5 },
};

/** That of its class; what never started costs nothing, and is waited for, whatever one of its class costs that ran. */
export function policyFor({ class: name, because }: Pick<Incident, 'class' | 'because'>): RetryPolicy {
  const policy = retryPolicies[name];
  if (because.rule !== 'waited' || policy.then === 'wait') return policy;
  return { ...waiting, ...(policy.avoid && { avoid: policy.avoid }) };
}
