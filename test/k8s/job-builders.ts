/** Jobs and pods as a real API server sends them, with what a test changes. */
import type { SeenPod, SentJob } from '../../k8s/kube-types.ts';

export const made = '2026-11-29T10:00:00Z';
export const started = '2026-11-29T10:00:05Z';
export const ended = '2026-11-29T10:07:00Z';
export const now = new Date('2026-11-29T10:08:00Z');

export const condition = (type: string, reason?: string, message?: string) => ({
  type,
  status: 'True',
  lastTransitionTime: ended,
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

export function job(changes: { pods?: number; status?: object; spec?: object; annotations?: object } = {}): SentJob {
  return {
    metadata: {
      name: 'j',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: made,
      annotations: { ...changes.annotations },
    },
    spec: { parallelism: changes.pods ?? 1, template: {}, ...changes.spec },
    status: { ...changes.status },
  };
}

export const time = (second: number): string => `2026-11-29T10:08:${String(second).padStart(2, '0')}Z`;
export const at = (type: string, second: number) => ({ ...condition(type), lastTransitionTime: time(second) });

export function pod(
  changes: {
    index?: number;
    state?: object;
    conditions?: object[];
    phase?: string;
    made?: string;
    deletedAt?: string;
  } = {},
): SeenPod {
  const { index = 0, state, conditions = [], phase } = changes;
  const name = `j-${String(index)}`;
  return {
    metadata: {
      name,
      uid: `${name}-${changes.made ?? made}`,
      resourceVersion: '1',
      creationTimestamp: changes.made ?? made,
      ...(changes.deletedAt === undefined ? {} : { deletionTimestamp: changes.deletedAt }),
      annotations: { 'batch.kubernetes.io/job-completion-index': String(index) },
    },
    spec: { containers: [], nodeName: `node-${String(index)}` },
    status: {
      phase: phase ?? 'Running',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: made }, ...conditions] as never,
      containerStatuses:
        state === undefined ? [] : [{ name: 'trainer', image: 'i', imageID: 'i', ready: true, restartCount: 0, state }],
    },
  };
}
export const running = { running: { startedAt: started } };
export const terminated = (exitCode: number, reason = 'Error', more: object = {}) => ({
  terminated: { exitCode, reason, startedAt: started, finishedAt: ended, ...more },
});
export const failed = { status: { conditions: [condition('Failed', 'BackoffLimitExceeded')] } };
