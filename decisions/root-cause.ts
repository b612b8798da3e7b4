/**
 * Which process failed first, and of what. When one process of a job dies, its peers follow: those are told by what they say (a
 * peer is gone, a collective timed out) and by when they ended.
 *
 * Covers ranks of one job. Does not cover results and stops (classify.ts).
 */
import { trainerRole } from '../configs/schema-command.ts';
import { classOfReason, podDeleted, wordsBeside } from './backend-reasons.ts';
import { comparable, shortened } from './comparable.ts';
import { classOfEnd, signalOf } from './exit-codes.ts';
import { type ClassReason, type ContainerEnd, type FailureClass, type RankEnd, takenAlong } from './failure.ts';
import { type Hint, type HintWeight, hintFrom, lastError, launcherVerdict, linesOfRank } from './signatures.ts';

export interface Cause {
  readonly class: FailureClass;
  /** Equal texts are equal causes: numbers that differ from run to run are replaced by `#`. */
  readonly rootCause: string;
  readonly rank: number | null;
  readonly node: string | null;
  readonly because: ClassReason;
}
export interface WeighedCause extends Cause {
  readonly weight: HintWeight;
}

/** The cause of the process that failed first; null when no process failed, as far as anyone saw. */
export function rootCauseOf(ranks: readonly RankEnd[]): WeighedCause | null {
  const causes = ranks.flatMap((end) => {
    const cause = withRole(causeOf(end), end);
    return cause === null
      ? []
      : [
          {
            cause,
            endedAt: end.endedAt === null ? Infinity : Date.parse(end.endedAt),
            rank: end.rank,
            serves: serves(end),
          },
        ];
  });
  const backendSpoke = causes.some(({ cause }) => cause.because.rule === 'backend-reason');
  const order = (one: (typeof causes)[number]): number => {
    // A backend's word (preempted, evicted) explains the unknown error of a peer that noticed it first.
    if (backendSpoke && one.cause.class === 'unknown') return 1;
    return { cause: 0, symptom: 1, cascade: 2 }[one.cause.weight];
  };
  // A trainer that ends in the same second as an engine noticed that it was gone.
  const ofServants = ({ serves: does }: (typeof causes)[number]) => (does ? 0 : 1);
  causes.sort(
    (a, b) => order(a) - order(b) || compare(a.endedAt, b.endedAt) || ofServants(a) - ofServants(b) || a.rank - b.rank,
  );
  return causes[0]?.cause ?? null;
}

/** What serves the trainers is told by its role: its rank says nothing to anybody. */
function withRole<Named extends WeighedCause | null>(cause: Named, end: RankEnd): Named {
  if (cause === null || end.role === undefined || !serves(end) || !('rank' in cause.because)) return cause;
  return { ...cause, because: { ...cause.because, role: end.role } };
}

function serves({ role }: RankEnd): boolean {
  return role !== undefined && role.name !== trainerRole;
}

/** Backend's word, then that of another container, the launcher's, the log's, and the exit code's. */
function causeOf(end: RankEnd): WeighedCause | null {
  const { rank, node, exitCode, signal, lastLines } = end;
  if (end.reason === takenAlong) {
    const because: ClassReason = { rule: 'backend-reason', rank, reason: takenAlong };
    return { class: 'interrupted', rootCause: takenAlong, rank, node, because, weight: 'cascade' };
  }
  const reasoned = fromReason(end);
  if (reasoned !== null) return reasoned;
  if (signal === null && exitCode === null && endsUnseen.includes(end.reason)) return fromUnseen(end);
  if (signal === null && (exitCode === null || exitCode === 0))
    return end.beside === undefined ? null : fromBeside(end, end.beside);
  const blamed = fromBlamedRank(end);
  if (blamed !== null) return blamed;
  const hint = hintFrom(lastLines);
  if (hint?.weight !== 'cause') {
    const launcher = fromLauncher(end);
    if (launcher !== null) return launcher;
  }
  if (hint !== null && (hint.weight !== 'cascade' || endedQuietly(end))) {
    return fromHint(blamedIn(end), hint);
  }
  return fromExit(end);
}

/** Who deletes a pod may do so because its log says something; every other word of a backend knows better than a log. */
function fromReason(end: RankEnd): WeighedCause | null {
  const { rank, node, reason, message } = end;
  const name = classOfReason(reason, wordsBeside(end));
  if (name === null || reason === null) return null;
  const hint = reason === podDeleted ? hintFrom(end.lastLines) : null;
  if (hint?.weight === 'cause') return fromHint(end, hint);
  const because: ClassReason = {
    rule: 'backend-reason',
    rank,
    reason,
    ...(node === '' ? {} : { node }),
    ...(message === undefined ? {} : { says: shortened(message) }),
  };
  return { class: name, rootCause: reason, rank, node, because, weight: 'cause' };
}

/** More memory for the trainer does not help a container that has a limit of its own: a person has to. */
function classOfBeside({ reason, message }: ContainerEnd): FailureClass | null {
  return reason === 'OOMKilled' ? 'config' : classOfReason(reason, message === null ? [] : [message]);
}

/** Where the trainer itself says nothing: it never began, or ended with 0. */
function fromBeside(end: RankEnd, beside: ContainerEnd): WeighedCause {
  const { rank, node, lastLines } = end;
  const { name: container, exitCode, reason, message } = beside;
  const of = { rank, container };
  const named = classOfBeside(beside);
  if (named !== null && reason !== null) {
    const says = message === null ? {} : { says: shortened(message) };
    const because: ClassReason = { rule: 'backend-reason', ...of, reason, ...says, ...(node === '' ? {} : { node }) };
    return { class: named, rootCause: `${container}: ${reason}`, rank, node, because, weight: 'cause' };
  }
  // The log of a trainer that never began is that of the container before it.
  const hint = hintFrom(lastLines);
  if (hint !== null) {
    const cause = fromHint(end, hint);
    return beside.isInit ? { ...cause, because: { ...of, rule: 'log-line', line: shortened(hint.line) } } : cause;
  }
  const rootCause = `${container}: ${causeOfEnd(exitCode, null)}`;
  return {
    class: 'unknown',
    rootCause,
    rank,
    node,
    because: { rule: 'exit-code', ...of, exitCode },
    weight: 'symptom',
  };
}

/** Words for a process that ended, or never began, while nobody watched: the local backend's, and of a Job whose pods are gone. */
const endsUnseen: readonly (string | null)[] = ['no-exit-record', 'never-started', 'BackoffLimitExceeded'];

/** What killed the watcher killed the process, unless its log knows better. */
function fromUnseen(end: RankEnd): WeighedCause {
  const { rank, node, lastLines } = end;
  const hint = hintFrom(lastLines);
  if (hint?.weight === 'cause') return fromHint(end, hint);
  const because: ClassReason = { rule: 'end-unseen', rank, began: end.reason !== 'never-started' };
  return { class: 'killed', rootCause: 'end unseen', rank, node, because, weight: 'symptom' };
}

/** What one process' log names by itself, however that process ended; null when its log knows nothing of such weight. */
export function causeInLog(end: RankEnd, weights: readonly HintWeight[]): WeighedCause | null {
  if (end.reason === takenAlong) return null;
  const hint = hintFrom(end.lastLines);
  return hint !== null && weights.includes(hint.weight) ? withRole(fromHint(end, hint), end) : null;
}

function fromHint(end: RankEnd, hint: Hint): WeighedCause {
  const because: ClassReason = { rule: 'log-line', rank: end.rank, line: shortened(hint.line) };
  return {
    class: hint.class,
    rootCause: comparable(hint.line),
    rank: end.rank,
    node: end.node,
    because,
    weight: hint.weight,
  };
}

/** The end with the rank that torchrun names; where it names none, or one that was only taken along, as it is. */
function blamedIn(end: RankEnd): RankEnd {
  const launcher = launcherVerdict(end.lastLines);
  return launcher === null || launcher.exitCode === -15 ? end : { ...end, rank: launcher.rank };
}

/**
 * torchrun names the process that failed first; with an exception it ended like any other program, and its own lines say of what. The
 * peers that it took along wrote into the same log, last and more.
 */
function fromBlamedRank(end: RankEnd): WeighedCause | null {
  const launcher = launcherVerdict(end.lastLines);
  if (launcher === null || launcher.exitCode <= 0) return null;
  const prefix = /^\[rank\d+\]:\s?/;
  const own = linesOfRank(end.lastLines, launcher.rank).map((line) => line.replace(prefix, ''));
  if (own.length === 0) return null;
  const { rank } = launcher;
  const hint = hintFrom(own);
  if (hint !== null && hint.weight !== 'cascade') return fromHint({ ...end, rank }, hint);
  const line = lastError(own);
  if (line === null) return null;
  // That a process of another pod is gone ended it: the cause is told there.
  const cascade = hintFrom([line]);
  if (cascade !== null) return fromHint({ ...end, rank }, cascade);
  const because: ClassReason = { rule: 'log-line', rank, line: shortened(line) };
  return { class: 'unknown', rootCause: comparable(line), rank, node: end.node, because, weight: 'cause' };
}

/** torchrun keeps one log of all its processes and ends with 1 whatever happened; its last words name the first that failed. */
function fromLauncher(end: RankEnd): WeighedCause | null {
  const launcher = launcherVerdict(end.lastLines);
  if (launcher === null) return null;
  const name = classOfEnd(launcher.exitCode, null);
  // An abort is how NCCL's watchdog ends a process, and SIGTERM is how a peer's end looks: the log says more.
  if (name === null || launcher.exitCode === -6 || launcher.exitCode === -15) return null;
  const because: ClassReason = { rule: 'log-line', rank: launcher.rank, line: shortened(launcher.line) };
  const rootCause = causeOfEnd(launcher.exitCode, null);
  return { class: name, rootCause, rank: launcher.rank, node: end.node, because, weight: 'cause' };
}

function fromExit(end: RankEnd): WeighedCause {
  const { rank, node, exitCode, signal } = end;
  const name = classOfEnd(exitCode, signal);
  const because: ClassReason =
    signal === null ? { rule: 'exit-code', rank, exitCode: exitCode ?? 0 } : { rule: 'signal', rank, signal };
  if (name !== null) {
    const weight = name === 'interrupted' ? 'cascade' : 'cause';
    return { class: name, rootCause: causeOfEnd(exitCode, signal), rank, node, because, weight };
  }
  const line = lastError(end.lastLines);
  if (line === null) {
    return { class: 'unknown', rootCause: causeOfEnd(exitCode, signal), rank, node, because, weight: 'symptom' };
  }
  const said: ClassReason = { rule: 'log-line', rank, line: shortened(line) };
  return { class: 'unknown', rootCause: comparable(line), rank, node, because: said, weight: 'cause' };
}

/** Neither a signal nor a code with a meaning of its own: what the log says of peers is all there is. */
function endedQuietly(end: RankEnd): boolean {
  const name = classOfEnd(end.exitCode, end.signal);
  return name === null || name === 'interrupted';
}

function causeOfEnd(exitCode: number | null, signal: string | null): string {
  return signalOf(exitCode, signal) ?? `exit code ${String(exitCode)}`;
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
