import { classify, type Failure, incidentOf } from '../../decisions/classify.ts';
import type { FailureClass, RankEnd } from '../../decisions/failure.ts';
import { evidence, type EvidenceBuilder, progress } from '../support/builders.ts';

const killed = { exitCode: null, signal: 'SIGKILL' };
const oom = { exitCode: 1, lastLines: ['torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB'] };

function classOf(seen: EvidenceBuilder): string {
  const verdict = classify(seen.build());
  return verdict.kind === 'completed' ? 'completed' : verdict.class;
}

describe('what one process says', () => {
  const alone = (end: Partial<RankEnd>) => evidence().withoutResult().ranks(end);
  test.each<{ title: string; seen: EvidenceBuilder; want: FailureClass }>([
    {
      title: 'exit 137 with the word OOMKilled (C13 a)',
      seen: alone({ exitCode: 137, reason: 'OOMKilled' }),
      want: 'host-oom',
    },
    {
      title: 'exit 137 of a preempted pod (C13 b)',
      seen: alone({ exitCode: 137, reason: 'PreemptionByScheduler' }),
      want: 'preempted',
    },
    {
      title: 'a pod that was evicted before it ran (C13 c)',
      seen: alone({ exitCode: null, reason: 'Evicted' }),
      want: 'evicted',
    },
    {
      title: 'exit 137 after the SGLang watchdog',
      seen: alone({ exitCode: 137, reason: 'Error', lastLines: ['Watchdog timeout (self.watchdog_timeout=300)'] }),
      want: 'engine-watchdog',
    },
    { title: 'plain exit 137', seen: alone({ exitCode: 137, reason: 'Error' }), want: 'killed' },
    { title: 'SIGKILL', seen: alone(killed), want: 'killed' },
    {
      title: 'an eviction for the disk',
      seen: alone({ reason: 'Evicted', lastLines: ['The node was low on resource: ephemeral-storage.'] }),
      want: 'disk-full',
    },
    {
      title: 'a node that went away',
      seen: alone({ exitCode: null, reason: 'DeletionByTaintManager' }),
      want: 'node-lost',
    },
    {
      title: 'an image that cannot be pulled',
      seen: alone({ exitCode: null, reason: 'ImagePullBackOff' }),
      want: 'image-pull',
    },
    {
      title: 'an end that nobody saw, since its supervisor was killed too',
      seen: alone({ exitCode: null, reason: 'no-exit-record', endedAt: null }),
      want: 'killed',
    },
    {
      title: 'an end that nobody saw, with a log that knows why',
      seen: alone({ ...oom, exitCode: null, reason: 'no-exit-record', endedAt: null }),
      want: 'gpu-oom',
    },
    {
      title: 'a process whose supervisor was killed before it began',
      seen: alone({ exitCode: null, reason: 'never-started' }),
      want: 'killed',
    },
    {
      title: 'a machine that was restarted under its job',
      seen: alone({ exitCode: null, reason: 'machine-restarted', endedAt: null }),
      want: 'node-lost',
    },
    { title: 'exit 134', seen: alone({ exitCode: 134 }), want: 'crashed' },
    { title: 'exit 139', seen: alone({ exitCode: 139 }), want: 'crashed' },
    { title: 'exit 75: someone asked it to stop', seen: alone({ exitCode: 75 }), want: 'interrupted' },
    { title: 'exit 143', seen: alone({ exitCode: 143 }), want: 'interrupted' },
    { title: 'exit 64', seen: alone({ exitCode: 64 }), want: 'config' },
    { title: 'exit 65', seen: alone({ exitCode: 65 }), want: 'data-missing' },
    { title: 'exit 78', seen: alone({ exitCode: 78 }), want: 'config' },
    { title: 'a full GPU', seen: alone(oom), want: 'gpu-oom' },
    {
      title: 'a hub that resets the connection',
      seen: alone({ exitCode: 1, lastLines: ['ConnectionResetError: [Errno 104] Connection reset by peer'] }),
      want: 'network',
    },
    {
      title: 'an exception that nobody knows',
      seen: alone({ exitCode: 1, lastLines: ['ValueError: no moon'] }),
      want: 'unknown',
    },
    { title: 'exit 1 and not a word', seen: alone({ exitCode: 1 }), want: 'unknown' },
    {
      title: 'an unknown error after a loss that was not finite',
      seen: alone({ exitCode: 1 }).but({ lastProgress: progress('training', { metrics: { loss: null } }) }),
      want: 'not-finite',
    },
    {
      title: 'a job that is gone without a trace',
      seen: evidence().withoutResult().but({ job: 'vanished', ranks: [] }),
      want: 'job-lost',
    },
    {
      title: 'a job that is gone, its end being on record',
      seen: alone(killed).but({ job: 'vanished' }),
      want: 'killed',
    },
    {
      title: 'exit 0 of an SGLang server that its watchdog ended as PID 1',
      seen: alone({
        exitCode: 0,
        lastLines: [
          '[TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)',
          'Received sigquit from a child process. It usually means the child failed.',
        ],
      }),
      want: 'engine-watchdog',
    },
    {
      title: 'exit 0 of a script that swallowed its out of memory',
      seen: alone({ exitCode: 0, lastLines: ['[OOM] OOM escaped training_step at 12. Exiting gracefully.'] }),
      want: 'gpu-oom',
    },
    { title: 'exit 0 and not a word', seen: alone({ exitCode: 0 }), want: 'unproven' },
    {
      title: 'exit 0 that finds its work done already (C20)',
      seen: alone({ exitCode: 0, lastLines: ['already started elsewhere, nothing to do'] }),
      want: 'unproven',
    },
    {
      title: 'a resume checkpoint that the log calls damaged',
      seen: alone({ exitCode: 1, lastLines: ['RuntimeError: PytorchStreamReader failed reading zip archive'] }).but({
        lastProgress: progress('loading', { step: 20 }),
      }),
      want: 'resume-damaged',
    },
    {
      title: 'the same words after steps were trained, which say nothing of the resume',
      seen: alone({ exitCode: 1, lastLines: ['RuntimeError: PytorchStreamReader failed reading zip archive'] }).but({
        lastProgress: progress('training', { step: 30 }),
      }),
      want: 'unknown',
    },
    {
      title: 'the same words with nothing to resume from',
      seen: alone({ exitCode: 1, lastLines: ['SafetensorError: Error while deserializing header: header too small'] })
        .asked({ resume: null })
        .but({ lastProgress: null }),
      want: 'start-damaged',
    },
    {
      title: 'an unknown error on a store that is full',
      seen: alone({ exitCode: 1, lastLines: ['RuntimeError: strange'] }).but({ storeFreeBytes: 4096 }),
      want: 'disk-full',
    },
    {
      title: 'a killed process on a store that is full',
      seen: alone(killed).but({ storeFreeBytes: 4096 }),
      want: 'killed',
    },
    { title: 'an end that nobody saw', seen: alone({ exitCode: null, endedAt: null }), want: 'unproven' },
  ])('$title: $want', ({ seen, want }) => {
    expect(classOf(seen)).toBe(want);
  });
});

test('stopped before it ran: what it waited for names the class, whatever those of its processes that ran said at their end', () => {
  const waited = { for: 'half-scheduled', reason: 'Unschedulable: 0/2 nodes', seconds: 301, node: null } as const;
  const stopped = evidence().withoutResult().but({ stoppedByTemper: 'waited', waited }).ranks(oom);
  const verdict = classify(stopped.build()) as Failure;
  expect(verdict).toMatchObject({
    class: 'half-scheduled',
    rootCause: 'Unschedulable: #/# nodes',
    because: { rule: 'waited', wait: waited },
  });
  expect(incidentOf(verdict, stopped.build(), 0)).toMatchObject({ waitedSeconds: 301 });
});

describe('who stopped it', () => {
  const stopped = (why: 'cancel' | 'shutdown' | 'stalled' | 'deadline') =>
    evidence().withoutResult().but({ stoppedByTemper: why }).ranks({ exitCode: 143 });
  test.each<{ title: string; seen: EvidenceBuilder; want: FailureClass }>([
    { title: "a worker's shutdown", seen: stopped('shutdown'), want: 'interrupted' },
    { title: 'a cancelled run', seen: stopped('cancel'), want: 'interrupted' },
    { title: 'a stall', seen: stopped('stalled'), want: 'stalled' },
    { title: 'a deadline', seen: stopped('deadline'), want: 'deadline' },
    {
      title: 'a shutdown that had to kill',
      seen: stopped('shutdown').ranks({ exitCode: 137, reason: 'Error' }),
      want: 'interrupted',
    },
    { title: 'a full GPU just before the shutdown', seen: stopped('shutdown').ranks(oom), want: 'gpu-oom' },
    {
      title: 'a shutdown that the trainer reports in order',
      seen: evidence().result({ status: 'stopped', finalStep: 30 }).but({ stoppedByTemper: 'shutdown' }),
      want: 'interrupted',
    },
    {
      title: 'an early end with exit 0 after a shutdown',
      seen: evidence().result({ finalStep: 30 }).but({ stoppedByTemper: 'shutdown' }),
      want: 'interrupted',
    },
    {
      title: 'a wrong resume, whoever stopped it',
      seen: evidence().result({ startStep: 0 }).but({ stoppedByTemper: 'shutdown' }),
      want: 'resume-mismatch',
    },
    {
      title: 'a trainer that someone else told to stop',
      seen: evidence().result({ status: 'stopped', finalStep: 30 }).ranks({ exitCode: 75 }),
      want: 'interrupted',
    },
    {
      title: 'a trainer that stopped for a preemption',
      seen: evidence().result({ status: 'stopped' }).ranks({ exitCode: 75, reason: 'Preempted' }),
      want: 'preempted',
    },
    {
      title: 'bad data, by its own word',
      seen: evidence().result({ status: 'failed', reason: 'data', message: 'no rows' }).ranks({ exitCode: 65 }),
      want: 'data-missing',
    },
    {
      title: 'bad settings, by its own word',
      seen: evidence().result({ status: 'failed', reason: 'config', message: 'lr' }),
      want: 'config',
    },
    {
      title: 'bad usage, by its own word',
      seen: evidence().result({ status: 'failed', reason: 'usage' }),
      want: 'config',
    },
    {
      title: 'a failure that it does not explain',
      seen: evidence().result({ status: 'failed' }).ranks(oom),
      want: 'gpu-oom',
    },
    { title: 'a failure that nothing explains', seen: evidence().result({ status: 'failed' }), want: 'unknown' },
  ])('$title: $want', ({ seen, want }) => {
    expect(classOf(seen)).toBe(want);
  });
});

test('two failures of one cause have the same text, though sizes and addresses differ', () => {
  const causes = ['2.00 GiB at 0x7f3a', '1.50 GiB at 0x7f99'].map((size) => {
    const verdict = classify(
      evidence()
        .withoutResult()
        .ranks({ exitCode: 1, lastLines: [`CUDA out of memory. Tried to allocate ${size}`] })
        .build(),
    );
    return verdict.kind === 'failed' ? verdict.rootCause : '';
  });
  expect(causes[0]).toBe(causes[1]);
  expect(causes[0]).toContain('out of memory');
});

test('an incident carries the attempt, the step reached and the newest complete step of the phase', () => {
  const seen = evidence()
    .withoutResult()
    .ranks(killed)
    .but({ lastProgress: progress('training', { step: 47 }) })
    .build();
  const verdict = classify(seen);
  if (verdict.kind !== 'failed') throw new Error('it completed');
  expect(incidentOf(verdict, seen, 40)).toEqual({
    attempt: 2,
    class: 'killed',
    rootCause: 'SIGKILL',
    rank: 0,
    node: 'node-1',
    step: 47,
    completedStep: 40,
    firstNotFiniteStep: null,
    because: { rule: 'signal', rank: 0, signal: 'SIGKILL' },
  });
});
