/**
 * Which nodes later attempts of every pipeline keep away from, and for how long, from what failed on them lately.
 *
 * Covers the rule. Does not cover what one phase avoids by its own failures (retry.ts), or carrying a wish out (backends).
 */
import type { ClassReason, FailureClass } from './failure.ts';
import { failureClasses } from './failure.ts';
import { retryPolicies } from './retry-policies.ts';
import { minuteOf } from './utc-minute.ts';
import { xidText } from './xid.ts';

/** A failure that says something of the node it happened on. */
export interface NodeFailure {
  readonly node: string;
  readonly class: FailureClass;
  readonly rootCause: string;
  readonly because: ClassReason;
  readonly pipeline: string;
  readonly phase: string;
  readonly attempt: number;
  /** ISO 8601. */
  readonly at: string;
}

/** A person said that a node is mended: what failed on it before counts no more. */
export interface ForgottenNode {
  readonly node: string;
  readonly by: string;
  readonly at: string;
}

export interface SuspectNode {
  readonly node: string;
  /** What failed last, in the field's words. */
  readonly what: string;
  /** Failures that count against it. */
  readonly times: number;
  /** The last of them; ISO 8601. */
  readonly at: string;
  /** Kept away from until then; ISO 8601. */
  readonly until: string;
  /** Whose attempt failed last: `demo/sft a2`. */
  readonly attempt: string;
}

/** How far back failures count: a node that is mended and forgotten by nobody is trusted again after this in any case. */
export const memoryDays = 14;
/** Classes that say something of a node. */
export const classesOfNodes: readonly FailureClass[] = failureClasses.filter(
  (name) => retryPolicies[name].avoid !== undefined,
);

/** For a first failure, a second, and every further one. */
const avoidedHours = [24, 72, 168] as const;
/** What does not point at a node by itself has to happen there twice within this. */
const repeatHours = 24;
/** The newest, so that the wish of a job stays small. */
const mostNodes = 64;

const hour = 3_600_000;

/** Nodes to keep away from now, the one that failed last first. */
export function suspectNodes(
  failures: readonly NodeFailure[],
  forgotten: readonly ForgottenNode[],
  now: Date,
): readonly SuspectNode[] {
  const counted = failures.filter(
    (failure) =>
      isOfNode(failure, failures) && !forgotten.some((one) => one.node === failure.node && one.at >= failure.at),
  );
  const nodes = [...new Set(counted.map(({ node }) => node))];
  return nodes
    .flatMap((node) => suspect(counted.filter((failure) => failure.node === node)) ?? [])
    .filter(({ until }) => until > now.toISOString())
    .toSorted((one, other) => other.at.localeCompare(one.at) || one.node.localeCompare(other.node))
    .slice(0, mostNodes);
}

/** A cause that followed the phase to another node is the program's. */
function isOfNode(failure: NodeFailure, failures: readonly NodeFailure[]): boolean {
  if (isHardware(failure)) return true;
  const { node, pipeline, phase, class: name, rootCause } = failure;
  return !failures.some(
    (other) =>
      other.node !== node &&
      other.pipeline === pipeline &&
      other.phase === phase &&
      other.class === name &&
      other.rootCause === rootCause,
  );
}

const isHardware = ({ class: name }: NodeFailure): boolean => retryPolicies[name].avoid === 'node';

/** Null where one failure alone says too little. */
function suspect(ofNode: readonly NodeFailure[]): SuspectNode | null {
  const hardware = ofNode.filter(isHardware);
  const repeats = withinHours(ofNode.filter((failure) => !isHardware(failure)));
  const times = hardware.length + Math.floor(repeats.length / 2);
  const counted = [...hardware, ...(repeats.length > 1 ? repeats : [])];
  const last = newestOf(counted);
  if (last === undefined) return null;
  const hours = avoidedHours[Math.min(times, avoidedHours.length) - 1] ?? avoidedHours[0];
  return {
    node: last.node,
    what: wordsOf(last),
    times: counted.length,
    at: last.at,
    until: new Date(Date.parse(last.at) + hours * hour).toISOString(),
    attempt: `${last.pipeline}/${last.phase} a${String(last.attempt)}`,
  };
}

function withinHours(failures: readonly NodeFailure[]): readonly NodeFailure[] {
  const newest = newestOf(failures);
  if (newest === undefined) return [];
  const since = Date.parse(newest.at) - repeatHours * hour;
  return failures.filter(({ at }) => Date.parse(at) >= since);
}

const newestOf = (failures: readonly NodeFailure[]): NodeFailure | undefined =>
  failures.toSorted((one, other) => one.at.localeCompare(other.at)).at(-1);

function wordsOf({ class: name, because }: NodeFailure): string {
  return (because.rule === 'log-line' ? xidText([because.line]) : null) ?? name;
}

/** `Xid 79 (GPU has fallen off the bus) at 2026-11-29 03:12 UTC`; with how often, where it was more than once. */
export function whySuspect({ what, at, times }: Pick<SuspectNode, 'what' | 'at' | 'times'>): string {
  return `${what} at ${minuteOf(at)} UTC${times > 1 ? `, ${String(times)} times` : ''}`;
}
