/** What is kept of pods, for how long: Jobs and pods are watched apart, and their ends come in either order. */
import { JobObserver } from '../../k8s/job-observer.ts';
import type { KubeClient } from '../../k8s/kube-client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { jobUidLabel } from '../../k8s/labels.ts';
import { eventually } from '../support/eventually.ts';
import { toldCluster } from './told-cluster.ts';

const job = { metadata: { name: 't-a1', uid: 'job-1', resourceVersion: '2' } };
const pod = { metadata: { name: 't-a1-0-x', uid: 'pod-1', resourceVersion: '3', labels: { [jobUidLabel]: 'job-1' } } };

const open: JobObserver[] = [];
afterEach(() => {
  for (const observer of open.splice(0)) observer.close();
});

function told() {
  const { client, say } = toldCluster();
  return { observer: new JobObserver(client, 'training', { hasQueue: false, warn: () => undefined }), say };
}

test('a pod that goes is kept while its Job is there, and no longer, also where it goes after it', async () => {
  const { observer, say } = told();
  open.push(observer);
  await observer.started();
  await say('jobs', 'ADDED', job);
  await say('pods', 'ADDED', pod);
  await eventually('both are known', 60, () => Promise.resolve(observer.find('t-a1')?.pods.length === 1));
  await say('jobs', 'DELETED', job);
  await eventually('the Job is gone', 60, () => Promise.resolve(observer.find('t-a1') === null));
  await say('pods', 'MODIFIED', pod);
  await say('pods', 'DELETED', pod);
  const other = { metadata: { ...pod.metadata, uid: 'pod-2', labels: { [jobUidLabel]: 'job-2' } } };
  await say('pods', 'ADDED', other);
  await eventually('all of it is heard', 60, () => Promise.resolve(observer.podsOf('job-2').length === 1));
  expect(observer.podsOf('job-1')).toEqual([]);
});

test('whether a pod was asked to end before it did, and when, stays known when its last state tells it no more', async () => {
  const { observer, say } = told();
  open.push(observer);
  await observer.started();
  await say('jobs', 'ADDED', job);
  const running = { containerStatuses: [{ name: 'trainer', state: { running: {} } }] };
  const over = { phase: 'Failed', containerStatuses: [{ name: 'trainer', state: { terminated: { exitCode: 1 } } }] };
  const asked = { deletionTimestamp: '2026-11-30T10:00:30Z', deletionGracePeriodSeconds: 30 };
  const confirmed = { deletionTimestamp: '2026-11-30T10:00:09Z', deletionGracePeriodSeconds: 0 };
  const other = { ...pod.metadata, name: 't-a1-1-y', uid: 'pod-2' };
  await say('pods', 'ADDED', { metadata: { ...pod.metadata, ...asked }, status: running });
  await say('pods', 'MODIFIED', { metadata: { ...pod.metadata, ...confirmed }, status: over });
  await say('pods', 'ADDED', { metadata: other, status: running });
  await say('pods', 'MODIFIED', { metadata: other, status: over });
  await say('pods', 'DELETED', { metadata: { ...other, ...confirmed }, status: over });
  await eventually('all of it is heard', 60, () => observer.podsOf('job-1').some(({ isGone }) => isGone === true));
  const [deleted, ended] = observer.podsOf('job-1');
  expect(deleted).toMatchObject({ endingSince: '2026-11-30T10:00:00.000Z' });
  expect(ended).toMatchObject({ endedUnasked: true, isGone: true });
  expect(ended?.endingSince).toBeUndefined();
});

test.each([
  { status: 404, want: /no Workloads of kueue\.x-k8s\.io\/v1beta2; install Kueue 0\.15 or newer/ },
  { status: 403, want: /forbidden to Temper; give the worker get, list, watch and patch on workloads/ },
])('a queue that cannot be read ($status) is said once, however often it is tried', async ({ status, want }) => {
  let refused = 0;
  const client: KubeClient = {
    server: 'https://cluster',
    cluster: 'east',
    send: <T>({ path }: { readonly path: string }) => {
      if (!path.includes('/workloads')) return Promise.resolve({ metadata: { resourceVersion: '1' }, items: [] } as T);
      refused += 1;
      return Promise.reject(new KubeError('forbidden to Temper', { status }));
    },
    stream: (_path, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      }),
    close: () => Promise.resolve(),
  };
  const said: string[] = [];
  const observer = new JobObserver(client, 'training', {
    hasQueue: true,
    warn: (sentence) => void said.push(sentence),
  });
  open.push(observer);
  await observer.started();
  await eventually('it is tried again', 60, () => Promise.resolve(refused > 1));
  expect(said).toEqual([expect.stringMatching(want)]);
});
