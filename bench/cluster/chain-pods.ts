/**
 * The pods of chains of steps, as a watch of the bench's own sees them: when each was made, and when the step's own container ended.
 * Milliseconds since the epoch. The same for whoever makes them.
 */
import { podsPath } from '../../k8s/job-observer.ts';
import type { KubeClient } from '../../k8s/kube-client.ts';
import type { SentPod } from '../../k8s/kube-types.ts';
import { Reflector } from '../../k8s/reflector.ts';

export interface ChainPod {
  /** Name of the chain. */
  readonly chain: string;
  readonly madeAt: number;
  endedAt: number | null;
  exitCode: number | null;
}

export interface ChainPodsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly labelSelector: string;
  /** The chain that a pod is a step of; null for one that is none. */
  chainOf(pod: SentPod): string | null;
  /** Name of the container that does the step's work. */
  readonly container: string;
}

export interface ChainPods {
  /** By the chain's name, each in the order in which they were made. */
  chains(): ReadonlyMap<string, readonly ChainPod[]>;
  started(): Promise<void>;
  close(): void;
}

export function seeChainPods(options: ChainPodsOptions): ChainPods {
  const { client, namespace, labelSelector, container } = options;
  const pods = new Map<string, ChainPod>();
  const reflector = new Reflector<SentPod>({
    client,
    path: podsPath(namespace),
    labelSelector,
    gone: () => undefined,
    changed(pod) {
      const chain = options.chainOf(pod);
      if (chain === null) return;
      const seen = pods.get(pod.metadata.uid) ?? { chain, madeAt: Date.now(), endedAt: null, exitCode: null };
      pods.set(pod.metadata.uid, seen);
      const state = pod.status?.containerStatuses?.find(({ name }) => name === container)?.state;
      if (state?.terminated === undefined || seen.endedAt !== null) return;
      [seen.endedAt, seen.exitCode] = [Date.now(), state.terminated.exitCode];
    },
  });
  return {
    chains: () =>
      Map.groupBy(
        [...pods.values()].sort((one, other) => one.madeAt - other.madeAt),
        ({ chain }) => chain,
      ),
    started: () => reflector.started(),
    close() {
      reflector.close();
    },
  };
}

/** From the end of each step to the pod of the next, milliseconds. */
export function gapsOf(chain: readonly Pick<ChainPod, 'madeAt' | 'endedAt'>[]): readonly number[] {
  return chain.slice(1).flatMap(({ madeAt }, index) => {
    const endedAt = chain[index]?.endedAt ?? null;
    return endedAt === null ? [] : [madeAt - endedAt];
  });
}

/** From the first pod to the end of the last step, milliseconds; null for a chain that has not ended. */
export function lengthOf(chain: readonly Pick<ChainPod, 'madeAt' | 'endedAt'>[]): number | null {
  const [first] = chain;
  const endedAt = chain.at(-1)?.endedAt ?? null;
  return first === undefined || endedAt === null ? null : endedAt - first.madeAt;
}
