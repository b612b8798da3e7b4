/** A cluster in which nothing is there; then what the test says of Jobs, pods and events happens. */
import type { KubeClient } from '../../k8s/kube-client.ts';
import { eventually } from '../support/eventually.ts';

export interface ToldCluster {
  readonly client: KubeClient;
  /** Once it is watched. */
  readonly say: (
    of: 'jobs' | 'pods' | 'events',
    type: 'ADDED' | 'MODIFIED' | 'DELETED',
    object: object,
  ) => Promise<void>;
}

export function toldCluster(): ToldCluster {
  const streams = new Map<string, (text: string) => void>();
  const client: KubeClient = {
    server: 'https://cluster',
    cluster: 'east',
    send: <T>() => Promise.resolve({ metadata: { resourceVersion: '1' }, items: [] } as T),
    stream: (path, signal) => {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          streams.set(/\/(\w+)\?/.exec(path)?.[1] ?? '', (text) => {
            controller.enqueue(new TextEncoder().encode(text));
          });
          signal.addEventListener('abort', () => {
            controller.close();
          });
        },
      });
      return Promise.resolve(stream);
    },
    close: () => Promise.resolve(),
  };
  return {
    client,
    async say(of, type, object) {
      const stream = await eventually(`${of} are watched`, 60, () => streams.get(of) ?? null);
      stream(`${JSON.stringify({ type, object })}\n`);
    },
  };
}
