/** What is asked of the server when a job is stopped: a queue that would let it in again is told first. Does not cover real pods (test/cluster). */
import { JobObserver, jobsPath } from '../../k8s/job-observer.ts';
import { stopJob } from '../../k8s/job-stop.ts';
import type { KubeRequest } from '../../k8s/kube-client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { workloadsPath } from '../../k8s/kueue.ts';

const job = { name: 't-tiny-a1', uid: 'uid-1', directory: '/store/attempt-1' };
const workload = (name: string) => ({ metadata: { name, uid: `uid-${name}`, resourceVersion: '1' } });

/** Stops a job that runs until it is suspended. An answer that is an error is what the server refuses with. */
async function stopped(answers: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const asked: string[] = [];
  const client = {
    server: 'https://cluster',
    cluster: 'east',
    send: <T>({ method, path }: KubeRequest) => {
      const request = `${method} ${path.replace(/\?.*/, '')}`;
      asked.push(request);
      const answer = answers[request] ?? {};
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as T);
    },
    stream: () => Promise.reject(new Error('nothing is watched')),
    close: () => Promise.resolve(),
  };
  const end = { state: 'ended', startedAt: null, ranks: [], endedAt: '', stopRequested: null } as const;
  const running = { state: 'running', reason: null, since: '' } as const;
  const isSuspended = () => asked.includes(`PATCH ${jobsPath('training')}/${job.name}`);
  await stopJob(job, {
    reason: 'cancel',
    graceSeconds: 1,
    client,
    observer: new JobObserver(client, 'training', { hasQueue: true, warn: () => undefined }),
    namespace: 'training',
    hasQueue: true,
    reader: {
      keepEvidence: () => Promise.resolve(),
      look: () => Promise.resolve({ status: isSuspended() ? end : running, lossAt: null }),
      millisecondsTo: () => null,
    },
  });
  return asked;
}

const workloads = workloadsPath('training');
const suspend = `PATCH ${jobsPath('training')}/${job.name}`;
const remove = `DELETE ${jobsPath('training')}/${job.name}`;
const absent = new KubeError('the server could not find the requested resource', { status: 404 });

test('a Workload that was changed meanwhile does not keep the others in the queue', async () => {
  const asked = await stopped({
    [`GET ${workloads}`]: { items: [workload('one'), workload('other')] },
    [`PATCH ${workloads}/one`]: new KubeError('the object has been modified', { status: 409 }),
  });
  expect(asked).toEqual([`GET ${workloads}`, `PATCH ${workloads}/one`, `PATCH ${workloads}/other`, suspend, remove]);
});

test('a Kueue without the version that is known here is named: it would let the suspended Job in again', async () => {
  const older = { [`GET ${workloads}`]: absent, 'GET /apis/kueue.x-k8s.io': { versions: [{ version: 'v1beta1' }] } };
  await expect(stopped(older)).rejects.toMatchObject({
    code: 'backend-unavailable',
    message:
      'cannot take job t-tiny-a1 out of its queue: the cluster’s Kueue has kueue.x-k8s.io/v1beta1 and not v1beta2: install Kueue 0.15 or newer',
  });
});

test('where there is no Kueue at all nothing would, and the job is stopped', async () => {
  const asked = await stopped({ [`GET ${workloads}`]: absent, 'GET /apis/kueue.x-k8s.io': absent });
  expect(asked).toEqual([`GET ${workloads}`, 'GET /apis/kueue.x-k8s.io', suspend, remove]);
});
