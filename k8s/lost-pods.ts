/**
 * When a pod counts as lost with its node. Pure; from the pod alone, since a worker may not read nodes.
 *
 * Covers a node that does not answer. Does not cover a node that was deleted: its pods go, and are seen to go.
 */
import type { SeenPod } from './kube-types.ts';

/** Seconds after the cluster's own word: until then the node may come back, and nothing has happened. */
const patienceSeconds = 60;

/**
 * Null while nothing speaks against its node. Two things do: the node controller says that the pod is not ready although the node's own
 * last word was that its containers are; and the pod is there still when its grace to end is over, which its node would have seen to.
 */
export function lostAt(pod: SeenPod): Date | null {
  if (!pod.spec?.nodeName) return null;
  const words = [outOfReachSince(pod), pod.metadata.deletionTimestamp].flatMap((time) => time ?? []);
  const first = words.map((time) => Date.parse(time)).sort((one, other) => one - other)[0];
  return first === undefined ? null : new Date(first + patienceSeconds * 1000);
}

/** A node that lives says of such a pod that it is ready, unless it waits for a gate, and then it says so. */
function outOfReachSince({ status }: SeenPod): string | undefined {
  const [ready, containersReady] = ['Ready', 'ContainersReady'].map((of) =>
    status?.conditions?.find(({ type }) => type === of),
  );
  if (ready?.status !== 'False' || containersReady?.status !== 'True') return undefined;
  return ready.reason === 'ReadinessGatesNotReady' ? undefined : ready.lastTransitionTime;
}
