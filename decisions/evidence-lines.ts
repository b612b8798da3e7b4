/**
 * The evidence of a failure as lines: how each rank ended with its last words, and what the cluster said of the job, its pods, their
 * containers and events.
 *
 * Covers words and order: the blamed rank first. Does not cover gathering (k8s/, activities/) or what it means (classify.ts).
 */
import { signalOf } from './exit-codes.ts';
import type { RankEnd } from './failure.ts';
import type {
  ContainerEvidence,
  ContainerState,
  JobCondition,
  ClusterEvent,
  JobEvidence,
  PodEvidence,
} from './job-evidence.ts';

export interface FailureEvidence {
  /** The blamed one first. */
  readonly ranks: readonly RankEnd[];
  /** What the cluster said; null where jobs run on one machine, or nothing was kept. */
  readonly cluster: JobEvidence | null;
}

const mostRanks = 64;
/** Of the last words of a rank that is not blamed. */
const mostWords = 5;

/** The blamed rank first and with all its words, the others with their last few. */
export function rankEndsInOrder(ranks: readonly RankEnd[], blamed: number | null): readonly RankEnd[] {
  const isBlamed = ({ rank }: RankEnd) => rank === blamed;
  const others = ranks.filter((end) => !isBlamed(end));
  const short = others.map((end) => ({ ...end, lastLines: end.lastLines.slice(-mostWords) }));
  return [...ranks.filter(isBlamed), ...short].slice(0, mostRanks);
}

/** Foreign text is in it: whoever shows it makes it harmless. */
export function linesOfEvidence({ ranks, cluster }: FailureEvidence): string[] {
  return [...ranks.flatMap(linesOfRank), ...(cluster === null ? [] : linesOfCluster(cluster))];
}

function linesOfRank(end: RankEnd): string[] {
  const { rank, role, node, endedAt, reason, message, beside, lastLines } = end;
  const who = role === undefined ? `rank ${String(rank)}` : `${role.name} ${String(role.index)} (rank ${String(rank)})`;
  const parts = [
    endOf(end),
    ...(reason === null
      ? []
      : [`${reason}${message === undefined ? '' : `: ${message.trim().replaceAll(/\s+/g, ' ')}`}`]),
    ...(endedAt === null ? [] : [`at ${timeOf(endedAt)}`]),
    ...(beside === undefined ? [] : [`container ${beside.name} ended with exit code ${String(beside.exitCode)}`]),
  ];
  const where = node === '' ? '' : `, node ${node}`;
  return [`${who}${where}: ${parts.join(', ')}`, ...lastLines.map((line) => `  | ${line}`)];
}

function endOf({ exitCode, signal }: RankEnd): string {
  const name = signalOf(exitCode, signal);
  if (exitCode === null) return name === null ? 'nobody saw it end' : `ended by ${name}`;
  return `exit code ${String(exitCode)}${name === null ? '' : ` (${name})`}`;
}

function linesOfCluster({ conditions, pods, events, omitted }: JobEvidence): string[] {
  const left = [
    ...(omitted.pods > 0 ? [`${String(omitted.pods)} pods`] : []),
    ...(omitted.events > 0 ? [`${String(omitted.events)} events`] : []),
  ];
  return [
    ...conditions.map((condition) => `job: ${conditionText(condition)}`),
    ...pods.flatMap(linesOfPod),
    ...events.map(eventText),
    ...(left.length > 0 ? [`… and ${left.join(' and ')} more were not kept`] : []),
  ];
}

function linesOfPod({
  name,
  rank,
  node,
  phase,
  reason,
  message,
  isGone,
  conditions,
  containers,
}: PodEvidence): string[] {
  const state = [
    phase ?? 'no phase',
    ...(reason === null ? [] : [because(reason, message)]),
    ...(isGone ? ['gone'] : []),
  ];
  const where = node === '' ? ', never on a node' : `, node ${node}`;
  return [
    `pod ${name}, rank ${String(rank)}${where}: ${state.join(', ')}`,
    ...conditions.map((condition) => `  ${conditionText(condition)}`),
    ...containers.flatMap(linesOfContainer),
  ];
}

function linesOfContainer({ name, isInit, restarts, state, before }: ContainerEvidence): string[] {
  const what = `${isInit ? 'init container' : 'container'} ${name}`;
  const again = restarts > 0 ? `, started again ${String(restarts)} times` : '';
  return [
    ...(before === null ? [] : stateLines(`${what} before`, before)),
    ...(state === null ? [`  ${what}: nothing is known`] : stateLines(`${what}${again}`, state)),
  ];
}

/** The last words of a container are lines of their own. */
function stateLines(what: string, state: ContainerState): string[] {
  switch (state.kind) {
    case 'waiting':
      return [`  ${what}: waiting, ${because(state.reason ?? 'no reason', state.message)}`];
    case 'running':
      return [`  ${what}: running${state.startedAt === null ? '' : ` since ${timeOf(state.startedAt)}`}`];
    case 'ended': {
      const words = (state.message ?? '').split('\n').filter((line) => line.trim() !== '');
      const reason = state.reason === null ? '' : ` (${state.reason})`;
      const at = state.endedAt === null ? '' : ` at ${timeOf(state.endedAt)}`;
      return [`  ${what}: exit code ${String(state.exitCode)}${reason}${at}`, ...words.map((line) => `    | ${line}`)];
    }
  }
}

function conditionText({ type, status, reason, message }: JobCondition): string {
  const is = status === 'True' ? type : `${type} is ${status}`;
  return reason === null ? is : `${is}, ${because(reason, message)}`;
}

function eventText({ type, reason, message, pod, lastAt, count }: ClusterEvent): string {
  const often = count > 1 ? ` (${String(count)} times)` : '';
  const who = pod === null ? 'job' : `pod ${pod}`;
  return `event ${timeOf(lastAt)} ${type} of ${who}: ${because(reason, message)}${often}`;
}

const because = (reason: string, message: string | null): string =>
  message === null || message.trim() === '' ? reason : `${reason}: ${message.trim().replaceAll(/\s+/g, ' ')}`;

const timeOf = (iso: string): string => iso.slice(11, 19);
