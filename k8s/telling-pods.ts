/**
 * Which pods of a job are kept where it had more than are kept: those that tell most of why it ended. Pure.
 *
 * The order: pods that failed by themselves, the first to fail first; pods that never began; pods that run, or that ended because another
 * had; pods that did well. Does not cover what else is kept (evidence.ts).
 */
import type { ContainerState, JobCondition, PodEvidence } from '../decisions/job-evidence.ts';
import { oldest } from './timestamps.ts';

type EndedContainer = Extract<ContainerState, { kind: 'ended' }>;

/** `conditions` are those of the Job. In the order of the ranks; of one rank as they were given. */
export function mostTelling(
  pods: readonly PodEvidence[],
  conditions: readonly JobCondition[],
  most: number,
): readonly PodEvidence[] {
  if (pods.length <= most) return inOrderOfRanks(pods);
  const decidedAt = conditions.find(decides)?.since ?? null;
  const told = pods.map((pod) => ({ pod, place: placeOf(pod, decidedAt), failedAt: failedAt(pod) }));
  const ordered = told.toSorted((one, other) => one.place - other.place || one.failedAt.localeCompare(other.failedAt));
  return inOrderOfRanks(ordered.slice(0, most).map(({ pod }) => pod));
}

function inOrderOfRanks(pods: readonly PodEvidence[]): readonly PodEvidence[] {
  return pods.toSorted((one, other) => one.rank - other.rank);
}

/** From then on the Job controller ends what is left. */
function decides({ type, status }: JobCondition): boolean {
  return (type === 'FailureTarget' || type === 'SuccessCriteriaMet') && status === 'True';
}

/** The lower, the more it tells. */
function placeOf(pod: PodEvidence, decidedAt: string | null): number {
  const { containers } = pod;
  if (hasFailed(pod)) return wasTakenAlong(pod, decidedAt) ? 2 : 0;
  const own = containers.filter(({ isInit }) => !isInit);
  if (own.length === 0 || own.some(({ state }) => state === null || state.kind === 'waiting')) return 1;
  return containers.every(({ state }) => state?.kind === 'ended') ? 3 : 2;
}

/** A disruption counts as well, and a pod that vanished while it ran. */
function hasFailed({ phase, isGone, conditions, containers }: PodEvidence): boolean {
  return (
    phase === 'Failed' ||
    failuresOf(containers).length > 0 ||
    conditions.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True') ||
    (isGone && containers.some(({ state }) => state?.kind === 'running'))
  );
}

/** Asked to end once the Job was decided, and it had not failed before. Memory that ran out is its own failure whenever it did. */
function wasTakenAlong({ endingSince, containers }: PodEvidence, decidedAt: string | null): boolean {
  if (endingSince === null || decidedAt === null || Date.parse(endingSince) < Date.parse(decidedAt)) return false;
  return failuresOf(containers).every(
    ({ reason, endedAt }) =>
      reason !== 'OOMKilled' && !(endedAt !== null && Date.parse(endedAt) < Date.parse(decidedAt)),
  );
}

/** ISO 8601, to the second: when the first of its containers failed; after all times where nobody knows. */
function failedAt({ containers, conditions, endingSince }: PodEvidence): string {
  const disrupted = conditions.find(({ type }) => type === 'DisruptionTarget')?.since ?? endingSince;
  return oldest(failuresOf(containers).map(({ endedAt }) => endedAt)) ?? disrupted ?? '~';
}

/** Also those before a container was started again. */
function failuresOf(containers: PodEvidence['containers']): readonly EndedContainer[] {
  return containers
    .flatMap(({ state, before }) => [state, before])
    .filter((state): state is EndedContainer => state?.kind === 'ended' && state.exitCode !== 0);
}
