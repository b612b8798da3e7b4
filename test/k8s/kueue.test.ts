/** What a queue of Kueue says of a job: the reasons of a wait, and a place that was taken away. */
import type { JobStatus } from '../../activities/backend.ts';
import { withQueue, type Workload } from '../../k8s/kueue.ts';
import { statusOfJob } from '../../k8s/job-state.ts';
import { job, made, now, started } from './job-builders.ts';

const queued: JobStatus = {
  state: 'queued',
  reason: 'suspended: its queue has not let it in',
  since: made,
  waitsFor: 'queue',
};
const running: JobStatus = { state: 'running', reason: null, since: started };
const suspended = job({ spec: { suspend: true } });

const workload = (status: Workload['status'] = {}, spec: Workload['spec'] = { active: true }): Workload => ({
  metadata: { name: 'job-j', uid: 'w', resourceVersion: '1' },
  spec,
  status,
});
const says = (
  type: string,
  status: 'True' | 'False',
  words: { readonly reason: string; readonly message: string },
) => ({
  conditions: [{ type, status, ...words }],
});

test.each<{ title: string; workload: Workload | undefined; want: string }>([
  { title: 'nothing is known of it', workload: undefined, want: 'suspended: its queue has not let it in' },
  { title: 'it was not looked at', workload: workload(), want: 'its queue has not looked at it yet' },
  {
    title: 'there is no quota',
    workload: workload(
      says('QuotaReserved', 'False', {
        reason: 'WaitingForQuota',
        message: 'insufficient unused quota, 8 more needed',
      }),
    ),
    want: 'its queue has no place for it yet: WaitingForQuota: insufficient unused quota, 8 more needed',
  },
  {
    title: 'its checks are not done',
    workload: workload(says('QuotaReserved', 'True', { reason: 'QuotaReserved', message: 'quota reserved' })),
    want: 'its queue has reserved its quota, and checks something else first',
  },
  {
    title: 'a person took it out',
    workload: workload({}, { active: false }),
    want: 'somebody has deactivated it in its queue',
  },
])('a job waits, because $title', ({ workload: one, want }) => {
  expect(withQueue(queued, suspended, one)).toEqual({ ...queued, reason: want });
});

test('a place that was taken away, by whom, is told also when it was given back before anybody looked', () => {
  const preempted = workload(says('Evicted', 'True', { reason: 'Preempted', message: 'to make room for another' }));
  const evicted = { as: 'preempted', because: 'Preempted: to make room for another' };
  expect(withQueue(queued, suspended, preempted)).toEqual({ ...queued, evicted });
  const back = workload({ schedulingStats: { evictions: [{ reason: 'LocalQueueStopped' }] } });
  expect(withQueue(running, job(), back)).toEqual({
    ...running,
    evicted: { as: 'queue-evicted', because: 'LocalQueueStopped' },
  });
});

test('of a job that runs, is being stopped or is over its queue has nothing to say', () => {
  expect(withQueue(running, job(), workload())).toEqual(running);
  const gone = workload(says('Evicted', 'True', { reason: 'Deactivated', message: 'the workload is deactivated' }));
  const stopping: JobStatus = { state: 'stopping', reason: 'cancel', since: made };
  expect(withQueue(stopping, suspended, gone)).toEqual(stopping);
  expect(withQueue({ state: 'vanished' }, suspended, gone)).toEqual({ state: 'vanished' });
});

test('a Workload that is evicted and admitted at once, its Job suspended and never let in again, is queued: it neither runs nor has failed (C43)', () => {
  const at = { lastTransitionTime: made };
  const stuck = workload({
    conditions: [
      { type: 'QuotaReserved', status: 'True', reason: 'QuotaReserved', message: 'Quota reserved', ...at },
      { type: 'Admitted', status: 'True', reason: 'Admitted', message: 'The workload is admitted', ...at },
      { type: 'Evicted', status: 'True', reason: 'PodsReadyTimeout', message: 'Exceeded the PodsReady timeout', ...at },
    ],
  });
  expect(withQueue(statusOfJob({ job: suspended, pods: [] }, now), suspended, stuck)).toMatchObject({
    state: 'queued',
    since: made,
    evicted: { as: 'queue-evicted', because: 'PodsReadyTimeout: Exceeded the PodsReady timeout' },
  });
});
