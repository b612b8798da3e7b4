/**
 * Which checkpoints of a phase may go, and why each of the others stays.
 *
 * Covers the rule. Does not cover gathering what is known of them, or deleting (activities/prune.ts, store/).
 */
import { type ResumeCandidate, type RollBack, reasonToSkip } from './resume-point.ts';

/** A checkpoint on the store with all that may keep it there. */
export interface PruneCandidate extends ResumeCandidate {
  /** What deleting it gives back; files that are linked elsewhere give nothing. */
  readonly freedBytes: number;
  /** Its attempt is not over: what is not complete may be on its way. */
  readonly attemptLives: boolean;
  /** It is one of the steps that may be evaluated and promoted. */
  readonly due: boolean;
  readonly evaluated: boolean;
  readonly pinned: boolean;
  /** A phase was promoted to it, or kept it as its parent. */
  readonly promoted: boolean;
  /** Another checkpoint was made from it. */
  readonly isParent: boolean;
  /** The job of a living attempt that reads it; null when none does. */
  readonly readBy: string | null;
  /** What its run trains: an attempt goes on only from checkpoints of the same. */
  readonly work: string;
  /** A person had its phase begin anew since: nobody goes on from it, evaluates it or promotes it. */
  readonly leftBehind: boolean;
  /** Its attempt proved to be what nobody goes on from. */
  readonly attemptDistrusted: boolean;
}

export type KeepReason =
  | { readonly rule: 'pinned' | 'promoted' | 'parent' | 'being-written' | 'evaluated' | 'due' | 'newest' }
  | { readonly rule: 'read'; readonly job: string };

export type GoReason = 'torn' | 'not-trusted' | 'left-behind' | 'older';

export interface Pruning {
  readonly go: readonly { readonly checkpoint: PruneCandidate; readonly why: GoReason }[];
  readonly stay: readonly { readonly checkpoint: PruneCandidate; readonly why: KeepReason }[];
}

/** So many of the newest stay, for each thing that was trained: of those that are complete, and of those that an attempt could go on from. */
export const newestKept = 2;

/** Sorts the checkpoints of one phase, over all its attempts, into those that may go and those that stay; oldest first. */
export function choosePrunable(checkpoints: readonly PruneCandidate[], rollBacks: readonly RollBack[] = []): Pruning {
  const byWork = [...Map.groupBy(checkpoints, ({ work }) => work).values()];
  const newest = new Set(byWork.flatMap((same) => newestOf(same, rollBacks)));
  const sorted = [...checkpoints].sort((one, other) => one.attempt - other.attempt || one.step - other.step);
  const go: { checkpoint: PruneCandidate; why: GoReason }[] = [];
  const stay: { checkpoint: PruneCandidate; why: KeepReason }[] = [];
  for (const checkpoint of sorted) {
    const why = reasonToKeep(checkpoint, newest);
    if (why === null) go.push({ checkpoint, why: reasonToGo(checkpoint, rollBacks) });
    else stay.push({ checkpoint, why });
  }
  return { go, stay };
}

function reasonToKeep(checkpoint: PruneCandidate, newest: ReadonlySet<string>): KeepReason | null {
  const { pinned, promoted, isParent, readBy, attemptLives, evaluated, leftBehind, due, level, path } = checkpoint;
  // What is promoted is pinned with it.
  if (promoted) return { rule: 'promoted' };
  if (pinned) return { rule: 'pinned' };
  if (isParent) return { rule: 'parent' };
  if (readBy !== null) return { rule: 'read', job: readBy };
  if (evaluated) return { rule: 'evaluated' };
  if (level === 'torn') return attemptLives ? { rule: 'being-written' } : null;
  if (leftBehind) return null;
  if (due) return { rule: 'due' };
  return newest.has(path) ? { rule: 'newest' } : null;
}

function reasonToGo(checkpoint: PruneCandidate, rollBacks: readonly RollBack[]): GoReason {
  if (checkpoint.level === 'torn') return 'torn';
  if (checkpoint.leftBehind) return 'left-behind';
  if (checkpoint.attemptDistrusted) return 'not-trusted';
  const why = reasonToSkip(checkpoint, { rollBacks });
  return why?.rule === 'not-finite' || why?.rule === 'rolled-back' ? 'not-trusted' : 'older';
}

/** Paths of the newest that are complete, and of the newest that may be gone on from: where some are not trusted those are others. */
function newestOf(checkpoints: readonly PruneCandidate[], rollBacks: readonly RollBack[]): readonly string[] {
  const complete = checkpoints
    .filter(({ level, leftBehind }) => level !== 'torn' && !leftBehind)
    .sort((one, other) => other.step - one.step || other.attempt - one.attempt);
  const trusted = complete.filter(
    (checkpoint) => !checkpoint.attemptDistrusted && reasonToSkip(checkpoint, { rollBacks }) === null,
  );
  return [...complete.slice(0, newestKept), ...trusted.slice(0, newestKept)].map(({ path }) => path);
}
