/** The closed lists of state words. No other state word exists anywhere: ledger, page, CLI and logs use these. */

export const attemptStates = [
  'queued',
  'starting',
  'running',
  'stopping',
  'completed',
  'failed',
  'cancelled',
  'lost',
] as const;
export type AttemptState = (typeof attemptStates)[number];

export const phaseStates = [
  'waiting',
  'running',
  'evaluating',
  'held',
  'completed',
  'reused',
  'skipped',
  'rejected',
  'failed',
  'cancelled',
] as const;
export type PhaseState = (typeof phaseStates)[number];

/** How the run of a pipeline or a sweep ended, by the Temporal server. */
export type RunEndState = 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed-out' | 'continued-as-new';

/** `rejected`: it ended in order, and its gate took nothing. `unknown`: not even the server knows. */
export type RunStateWord = 'running' | 'rejected' | RunEndState | 'unknown';

/** What a job that does not run yet waits for; for how long it may is in wait-rules.ts. */
export const waitKinds = [
  'queue',
  'quota',
  'unschedulable',
  'claim',
  'admission',
  'half-scheduled',
  'pulling',
  'image-pull',
  'image-refused',
  'config',
  'mount',
  'sandbox',
  'device',
  'init',
  'init-crashing',
  'starting',
] as const;
export type WaitKind = (typeof waitKinds)[number];

/** What a trainer says it is doing; each has its own stall budget (stall.ts). */
export const activitiesOfTrainer = [
  'starting',
  'loading',
  'compiling',
  'training',
  'generating',
  'saving',
  'publishing',
  'evaluating',
  'finishing',
] as const;
export type Doing = (typeof activitiesOfTrainer)[number];
