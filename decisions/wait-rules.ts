/**
 * For how long a job may wait for each thing before it runs, and what that failure is called. One row per kind; the compiler refuses a missing one.
 *
 * Covers a kind by itself. Does not cover one wait at one moment (waiting.ts) or what follows a class (retry-policies.ts).
 */
import type { FailureClass } from './failure.ts';
import type { WaitKind } from './states.ts';

export interface WaitRule {
  /** It waits for … */
  readonly what: string;
  /** Null: for a place, which time alone brings and which holds nothing meanwhile: as long as `budgets.waitMinutes` allows, then the phase is held. */
  readonly seconds: number | null;
  /** `budgets.startMinutes` shortens or lengthens it: something is wrong. Without it, it only takes its time. */
  readonly isTrouble?: true;
  /** It is tried again: at most half of `budgets.waitMinutes`, so that there is time for that. */
  readonly isTriedTwice?: true;
  /** Different for each job, by up to half: of two that are in each other's way, one goes first. */
  readonly isSpread?: true;
  readonly class: FailureClass;
  /** What a person does about it, as an order. What only a person mends is not tried again by itself; without it, time may end it. */
  readonly mend?: string;
}

const minute = 60;
/** What `budgets.startMinutes` is unless it is named. */
export const startMinutesUnlessNamed = 10;

const place = { seconds: null } as const;
const trouble = { seconds: startMinutesUnlessNamed * minute, isTrouble: true } as const;
/** Somebody may be mending it just now. */
const mistake = { seconds: 2 * minute, isTrouble: true } as const;
const long = { seconds: 60 * minute, isTriedTwice: true } as const;

export const waitRules: Readonly<Record<WaitKind, WaitRule>> = {
  queue: { ...place, what: 'its place in the queue', class: 'quota' },
  quota: { ...place, what: 'room in a quota', class: 'quota' },
  unschedulable: { ...place, what: 'a node with room', class: 'unschedulable' },
  claim: {
    ...trouble,
    what: 'its volume claim',
    class: 'mount',
    mend: 'make or bind the claim, or name another in the profile',
  },
  admission: {
    ...mistake,
    what: 'its pods to be admitted',
    class: 'admission-denied',
    mend: 'mend what the cluster refuses',
  },
  'half-scheduled': {
    ...trouble,
    what: 'the rest of its pods',
    seconds: 5 * minute,
    isSpread: true,
    class: 'half-scheduled',
  },
  pulling: { ...long, what: 'its image to be pulled', class: 'image-pull' },
  'image-pull': { ...trouble, what: 'its image', class: 'image-pull' },
  'image-refused': {
    ...mistake,
    what: 'an image that its registry does not give',
    class: 'image-pull',
    mend: 'push the image, or give the namespace the right to pull it',
  },
  config: { ...mistake, what: 'its container to be made', class: 'config', mend: 'mend what its container asks for' },
  mount: { ...trouble, what: 'its volumes', class: 'mount' },
  sandbox: { ...trouble, what: 'its pod’s sandbox, network and containers', class: 'sandbox' },
  device: { ...trouble, what: 'the GPUs of its node', class: 'hardware' },
  init: { ...long, what: 'its init container', class: 'stalled' },
  'init-crashing': {
    ...trouble,
    what: 'its init container, which crashes',
    class: 'config',
    mend: 'mend the init container',
  },
  starting: { ...long, what: 'its start', class: 'stalled' },
};
