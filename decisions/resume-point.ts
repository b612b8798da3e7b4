/**
 * Where an attempt starts: the newest checkpoint of the phase that may be trusted, by its exact path, never "latest".
 *
 * Covers choosing and saying what was passed over. Does not cover how damage is found (store/).
 */

/** A checkpoint of the phase, from whichever attempt. */
export interface ResumeCandidate {
  readonly id: string;
  /** The attempt that wrote it. */
  readonly attempt: number;
  readonly path: string;
  readonly step: number;
  readonly level: 'torn' | 'complete' | 'sealed';
  /** Whether it holds optimizer, scheduler and random state, not weights alone. */
  readonly resumable: boolean;
  /** Whether every loss and gradient norm up to it was finite. */
  readonly finite: boolean;
  /** What is wrong with a torn one, in words. */
  readonly damage: string | null;
  /** `digest` of its seal; null when it has none. */
  readonly digest: string | null;
}

export type SkipReason =
  | { readonly rule: 'torn'; readonly damage: string | null }
  | { readonly rule: 'weights-only' }
  | { readonly rule: 'not-finite' }
  | { readonly rule: 'never-resumes' }
  | { readonly rule: 'rolled-back'; readonly before: number };

/** A checkpoint that is newer than the chosen one, and why it was passed over. */
export interface SkippedCheckpoint {
  readonly id: string;
  readonly step: number;
  readonly why: SkipReason;
}

export type ResumePoint =
  | { readonly kind: 'resume'; readonly checkpoint: ResumeCandidate; readonly skipped: readonly SkippedCheckpoint[] }
  | { readonly kind: 'restart'; readonly skipped: readonly SkippedCheckpoint[] };

/**
 * Of these attempts, checkpoints at `before` or later are not trusted: they were made after numbers went wrong. What a later attempt
 * makes of those steps is trusted again.
 */
export interface RollBack {
  readonly before: number;
  readonly upToAttempt: number;
}

export interface ResumeOptions {
  /** @default none */
  readonly rollBacks?: readonly RollBack[];
  /** The trainer cannot be told of a checkpoint to go on from. @default false */
  readonly neverResumes?: boolean;
}

/** The newest checkpoint that is complete, resumable and finite; the same answer in whatever order they are listed. */
export function chooseResumePoint(checkpoints: readonly ResumeCandidate[], options: ResumeOptions = {}): ResumePoint {
  const skipped: SkippedCheckpoint[] = [];
  for (const checkpoint of [...checkpoints].sort(newestFirst)) {
    const why = reasonToSkip(checkpoint, options);
    if (why === null) return { kind: 'resume', checkpoint, skipped };
    skipped.push({ id: checkpoint.id, step: checkpoint.step, why });
  }
  return { kind: 'restart', skipped };
}

/** Why an attempt cannot go on from it; null when it can. */
export function reasonToSkip(checkpoint: ResumeCandidate, options: ResumeOptions): SkipReason | null {
  if (checkpoint.level === 'torn') return { rule: 'torn', damage: checkpoint.damage };
  const { rollBacks = [] } = options;
  const distrusting = rollBacks.filter(
    ({ before, upToAttempt }) => checkpoint.attempt <= upToAttempt && checkpoint.step >= before,
  );
  if (distrusting.length > 0) {
    return { rule: 'rolled-back', before: Math.min(...distrusting.map(({ before }) => before)) };
  }
  if (!checkpoint.finite) return { rule: 'not-finite' };
  if (!checkpoint.resumable) return { rule: 'weights-only' };
  if (options.neverResumes === true) return { rule: 'never-resumes' };
  return null;
}

/** Of two at one step, the sealed one can be proved to be what was loaded; then the id decides, whatever it says. */
function newestFirst(a: ResumeCandidate, b: ResumeCandidate): number {
  if (a.step !== b.step) return b.step - a.step;
  if ((a.level === 'sealed') !== (b.level === 'sealed')) return a.level === 'sealed' ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}
