/** What one pod waits for while it has its node: whose trouble it is, and since when it is at what it waits for now. */
import type { ClusterEvent } from '../../decisions/job-evidence.ts';
import { statusOfJob } from '../../k8s/job-state.ts';
import type { SeenPod } from '../../k8s/kube-types.ts';
import { job, now, pod, running, terminated } from './job-builders.ts';

const at = (minute: number, second = 0) =>
  `2026-11-29T10:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}Z`;
const sandboxAt = (minute: number) => [
  { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: at(minute) },
];
const waiting = (reason: string, message = '') => ({ waiting: { reason, message } });
const pending = (state: object, minute = 1): SeenPod => pod({ phase: 'Pending', state, conditions: sandboxAt(minute) });
const event = (
  reason: string,
  message: string,
  when: { readonly first: string; readonly last?: string },
): ClusterEvent => ({
  type: 'Normal',
  reason,
  message,
  pod: 'j-0',
  firstAt: when.first,
  lastAt: when.last ?? when.first,
  count: 1,
});
const waitOf = (one: SeenPod, events: readonly ClusterEvent[] = []) =>
  statusOfJob({ job: job(), pods: [one], events }, now);

test.each([
  { reason: 'CreateContainerError', words: 'context deadline exceeded', want: 'sandbox', waitsOn: 'node-0' },
  {
    reason: 'CreateContainerError',
    words: 'failed to reserve container name "trainer_j-0": name is reserved for "3f9a"',
    want: 'sandbox',
    waitsOn: 'node-0',
  },
  {
    reason: 'RunContainerError',
    words: 'nvidia-container-cli: initialization error: nvml error: driver not loaded',
    want: 'device',
    waitsOn: 'node-0',
  },
  { reason: 'RunContainerError', words: 'exec: "trian": executable file not found in $PATH', want: 'config' },
  { reason: 'CreateContainerConfigError', words: 'secret "hf" not found', want: 'config' },
  { reason: 'SignatureValidationFailed', words: 'no signature', want: 'config' },
])('$reason ($words): $want, as it would be called at its end', ({ reason, words, want, waitsOn }) => {
  expect(waitOf(pending(waiting(reason, words)))).toMatchObject({ waitsFor: want, ...(waitsOn && { waitsOn }) });
});

const pull = (name: string, error: string) => `Back-off pulling image "${name}": ErrImagePull: ${error}`;
const unresolved = (name: string, error: string) =>
  pull(name, `failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${error}`);

test.each([
  {
    title: 'a tag that is a status code',
    words: unresolved('reg:5000/trainer:403', 'dial tcp: lookup reg: no such host'),
    want: 'image-pull',
  },
  {
    title: 'an address that ends with it',
    words: unresolved(
      'reg.example/trainer:404',
      'failed to do request: Head "https://reg.example/v2/trainer/manifests/401": connection refused',
    ),
    want: 'image-pull',
  },
  {
    title: 'a host with such a name',
    words: pull('notfound.example/a:1', 'dial tcp: lookup notfound.example on 10.0.0.1:53: server misbehaving'),
    want: 'image-pull',
  },
  {
    title: 'the word of the registry after the name',
    words: unresolved('reg.example/trainer:9', 'reg.example/trainer:9: not found'),
    want: 'image-refused',
  },
  {
    title: 'the status of its answer',
    words: unresolved(
      'reg.example/a:1',
      'unexpected status from HEAD request to https://reg.example/v2/a: 403 Forbidden',
    ),
    want: 'image-refused',
  },
])('a registry refuses by its own word alone: $title', ({ words, want }) => {
  expect(waitOf(pending(waiting('ImagePullBackOff', words)))).toMatchObject({ waitsFor: want });
});

test('an image that cannot be pulled has one text, whether it is tried or the next try is waited for', () => {
  const reasons = [
    waiting('ErrImagePull', 'no such host'),
    waiting('ImagePullBackOff', pull('reg.example/a:1', 'no such host')),
  ].map((state) => waitOf(pending(state)));
  const want = { waitsFor: 'image-pull', reason: 'ErrImagePull: no such host' };
  expect(reasons).toMatchObject([want, want]);
});

function afterInit(state: object, endedAt: string): SeenPod {
  const one = pending(state);
  const init = { name: 'fetch', image: 'i', imageID: '', ready: true, restartCount: 0 };
  const ended = { terminated: { exitCode: 0, startedAt: at(1), finishedAt: endedAt } };
  return { ...one, status: { ...one.status, initContainerStatuses: [{ ...init, state: ended }] } };
}

describe('a trainer behind an init container that took an hour', () => {
  const endedAt = at(50);
  const early = event('Pulling', 'Pulling image "fetch:1"', { first: at(0, 40) });
  test('waits for its own image since that is pulled', () => {
    const own = event('Pulling', 'Pulling image "trainer:1"', { first: at(50, 1) });
    const status = waitOf(afterInit(waiting('PodInitializing'), endedAt), [early, own]);
    expect(status).toMatchObject({ waitsFor: 'pulling', since: at(50, 1) });
  });
  test('waits for nothing that was pulled before', () => {
    const status = waitOf(afterInit(waiting('PodInitializing'), endedAt), [early]);
    expect(status).toMatchObject({ waitsFor: 'starting', since: endedAt });
  });
  test('waits for the same image that failed before since it is its turn', () => {
    const failed = event('Failed', 'Failed to pull image "trainer:1"', { first: at(0, 40), last: at(51) });
    const status = waitOf(afterInit(waiting('ErrImagePull', 'connection refused'), endedAt), [failed]);
    expect(status).toMatchObject({ waitsFor: 'image-pull', since: endedAt });
  });
});

test('an image that is there is not being pulled any more, also where the sandbox is told late', () => {
  const pulling = event('Pulling', 'Pulling image "trainer:1"', { first: at(0, 40) });
  const late = pod({ phase: 'Pending', state: waiting('ContainerCreating') });
  expect(waitOf(late, [pulling])).toMatchObject({ waitsFor: 'pulling', since: at(0, 40) });
  const pulled = event('Pulled', 'Successfully pulled image "trainer:1" in 5m', { first: at(5, 40) });
  expect(waitOf(late, [pulling, pulled])).toMatchObject({ waitsFor: 'starting', since: at(5, 40) });
});

test('a job whose trainers have ended waits for no start, however long another container of its pods goes on', () => {
  const beside = { name: 'beside', image: 'i', imageID: '', ready: true, restartCount: 0, state: running };
  const one = pod({ state: terminated(0, 'Completed') });
  const containerStatuses = [...(one.status?.containerStatuses ?? []), beside];
  const status = waitOf({ ...one, status: { ...one.status, containerStatuses } });
  expect(status).toMatchObject({ state: 'running', reason: 'its trainers have ended, its Job has not yet' });
});
