/** What is kept of the cluster's events, of whom and for how long. They come in any order with the Jobs and pods that they are about. */
import { JobObserver } from '../../k8s/job-observer.ts';
import type { KubeClient } from '../../k8s/kube-client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { jobUidLabel } from '../../k8s/labels.ts';
import { eventually } from '../support/eventually.ts';
import { toldCluster } from './told-cluster.ts';

const job = { metadata: { name: 't-a1', uid: 'job-1', resourceVersion: '2' } };
const pod = { metadata: { name: 't-a1-0-x', uid: 'pod-1', resourceVersion: '3', labels: { [jobUidLabel]: 'job-1' } } };

let version = 100;
const time = (second: number) => `2026-11-30T10:00:${String(second).padStart(2, '0')}Z`;

/** As the API server sends one that a kubelet wrote about a pod, with what a test changes. */
function event(changes: { name?: string; about?: object; message?: string; at?: number; count?: number } = {}) {
  const {
    name = 'e1',
    about = { kind: 'Pod', name: 't-a1-0-x', uid: 'pod-1' },
    message = 'no',
    at = 1,
    count,
  } = changes;
  version += 1;
  return {
    metadata: { name, uid: name, resourceVersion: String(version), creationTimestamp: time(1) },
    involvedObject: { apiVersion: 'v1', namespace: 'training', ...about },
    type: 'Warning',
    reason: 'FailedMount',
    message,
    firstTimestamp: time(1),
    lastTimestamp: time(at),
    ...(count === undefined ? {} : { count }),
  };
}
const ofJob = { kind: 'Job', name: 't-a1', uid: 'job-1' };
const ofOther = { kind: 'Pod', name: 'other', uid: 'pod-9' };

const open: JobObserver[] = [];
afterEach(() => {
  for (const observer of open.splice(0)) observer.close();
});

async function watching() {
  const { client, say } = toldCluster();
  const observer = new JobObserver(client, 'training', { hasQueue: false });
  open.push(observer);
  await observer.started();
  return {
    observer,
    say,
    /** All that was said before is heard. */
    heard: async () => {
      const name = `last-${String((version += 1))}`;
      await say('events', 'ADDED', event({ name, about: ofJob, message: name }));
      await eventually('all events are heard', 60, () =>
        observer.eventsOf('job-1').some((one) => one.message === name),
      );
    },
  };
}

const messages = (observer: JobObserver) =>
  observer
    .eventsOf('job-1')
    .map(({ message }) => message)
    .filter((message) => !message.startsWith('last-'));

test('those of the Job and of its pods, also such as came before either was known; those of others are not', async () => {
  const { observer, say, heard } = await watching();
  await say('events', 'ADDED', event({ name: 'early', message: 'no volume', at: 2 }));
  await say('events', 'ADDED', event({ name: 'refused', about: ofJob, message: 'quota', at: 1 }));
  await say('events', 'ADDED', event({ name: 'other', about: ofOther, message: 'not ours' }));
  await say('events', 'ADDED', event({ name: 'node', about: { kind: 'Node', name: 'n', uid: 'job-1' } }));
  await heard();
  expect(messages(observer)).toEqual(['quota']);
  await say('jobs', 'ADDED', job);
  await say('pods', 'ADDED', pod);
  await eventually('the pod is known', 60, () => observer.find('t-a1')?.pods.length === 1);
  expect(messages(observer)).toEqual(['quota', 'no volume']);
  expect(observer.eventsOf('job-1').find(({ message }) => message === 'no volume')).toEqual({
    type: 'Warning',
    reason: 'FailedMount',
    message: 'no volume',
    pod: 't-a1-0-x',
    firstAt: time(1),
    lastAt: time(2),
    count: 1,
  });
});

test('what is said again is one event, with how often and since when; whoever waits for the Job wakes', async () => {
  const { observer, say, heard } = await watching();
  await say('jobs', 'ADDED', job);
  await say('pods', 'ADDED', pod);
  await eventually('the pod is known', 60, () => observer.find('t-a1')?.pods.length === 1);
  await heard();
  const waiter = observer.waiter('t-a1');
  const woken = waiter.next(AbortSignal.timeout(60_000), null);
  await say('events', 'ADDED', event());
  await woken;
  waiter.close();
  expect(messages(observer)).toEqual(['no']);
  await say('events', 'MODIFIED', event({ at: 30, count: 7 }));
  // Its series was over, and the cluster began another one.
  await say('events', 'ADDED', { ...event({ name: 'e2', at: 40 }), firstTimestamp: time(40) });
  await heard();
  expect(messages(observer)).toEqual(['no']);
  expect(observer.eventsOf('job-1').at(-1)).toMatchObject({ firstAt: time(1), lastAt: time(40) });
});

test('an event of the newer kind has its times and its number in its series', async () => {
  const { observer, say, heard } = await watching();
  const { firstTimestamp, lastTimestamp, ...newer } = event({ about: ofJob, message: 'series' });
  const series = { count: 4, lastObservedTime: '2026-11-30T10:00:09.000000Z' };
  await say('events', 'ADDED', { ...newer, eventTime: firstTimestamp, series });
  await heard();
  expect(lastTimestamp).toBe(firstTimestamp);
  expect(observer.eventsOf('job-1').find(({ message }) => message === 'series')).toMatchObject({
    firstAt: firstTimestamp,
    lastAt: series.lastObservedTime,
    count: 4,
  });
});

test('the newest few of each are kept, longer than the cluster keeps them, until the Job goes', async () => {
  const { observer, say, heard } = await watching();
  await say('jobs', 'ADDED', job);
  await say('pods', 'ADDED', pod);
  await eventually('the pod is known', 60, () => observer.find('t-a1')?.pods.length === 1);
  const many = Array.from({ length: 30 }, (_, at) => event({ name: `e${String(at)}`, message: `m${String(at)}`, at }));
  for (const each of many) await say('events', 'ADDED', each);
  for (const each of many) await say('events', 'DELETED', each);
  await heard();
  expect(messages(observer)).toEqual(many.slice(10).map(({ message }) => message));
  await say('jobs', 'DELETED', job);
  await eventually('the Job is gone', 60, () => observer.find('t-a1') === null);
  expect(observer.eventsOf('job-1')).toEqual([]);
});

test('those of others go when the cluster forgets them', async () => {
  const { observer, say, heard } = await watching();
  await say('events', 'ADDED', event({ message: 'nobody knows whose' }));
  await say('events', 'DELETED', event({ message: 'nobody knows whose' }));
  await heard();
  await say('jobs', 'ADDED', job);
  await say('pods', 'ADDED', pod);
  await eventually('the pod is known', 60, () => observer.find('t-a1')?.pods.length === 1);
  expect(messages(observer)).toEqual([]);
});

test('those of others are forgotten, the oldest first, where there are thousands', async () => {
  const { observer, say, heard } = await watching();
  const others = Array.from({ length: 1100 }, (_, at) => ({ name: `e${String(at)}`, uid: `pod-${String(at + 1)}` }));
  for (const { name, uid } of others)
    await say('events', 'ADDED', event({ name, about: { kind: 'Pod', name: uid, uid }, message: `of ${uid}` }));
  await heard();
  await say('jobs', 'ADDED', job);
  // The first and the last of them turn out to be ours.
  for (const uid of ['pod-1', 'pod-1100'])
    await say('pods', 'ADDED', { metadata: { ...pod.metadata, name: uid, uid } });
  await eventually('the pods are known', 60, () => observer.find('t-a1')?.pods.length === 2);
  expect(messages(observer)).toEqual(['of pod-1100']);
});

test('what is there at the start about ours is kept, among thousands about others', async () => {
  const { client } = toldCluster();
  const others = Array.from({ length: 1500 }, (_, at) =>
    event({ name: `e${String(at)}`, about: { kind: 'Pod', name: `o-${String(at)}`, uid: `o-${String(at)}` } }),
  );
  const there: Record<string, object[]> = {
    jobs: [job],
    pods: [pod],
    events: [event({ name: 'ours', message: 'ours' }), ...others],
  };
  const full: KubeClient = {
    ...client,
    send: <T>({ path }: Parameters<KubeClient['send']>[0]) =>
      Promise.resolve({ metadata: { resourceVersion: '1' }, items: there[/\/(\w+)\?/.exec(path)?.[1] ?? ''] } as T),
  };
  const observer = new JobObserver(full, 'training', { hasQueue: false });
  open.push(observer);
  await observer.started();
  expect(messages(observer)).toEqual(['ours']);
});

test('a worker that may not read them says so once, with the right that is missing, and goes on', async () => {
  let refused = 0;
  const { client } = toldCluster();
  const without: KubeClient = {
    ...client,
    send<T>(order: Parameters<KubeClient['send']>[0]) {
      if (!order.path.includes('/events')) return client.send<T>(order);
      refused += 1;
      return Promise.reject(new KubeError('events is forbidden', { status: 403 }));
    },
  };
  const said: string[] = [];
  const observer = new JobObserver(without, 'training', { hasQueue: false, warn: (text) => void said.push(text) });
  open.push(observer);
  await observer.started();
  await eventually('it is tried again', 60, () => refused > 1);
  expect(said).toEqual([expect.stringContaining('give the worker list and watch on events in namespace training')]);
});
