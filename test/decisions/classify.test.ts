import { classify, incidentOf } from '../../decisions/classify.ts';
import type { FailureClass, RankEnd } from '../../decisions/failure.ts';
import { evidence, type EvidenceBuilder, progress } from '../support/builders.ts';

const at = (second: number): string => `2026-11-29T10:00:${String(second).padStart(2, '0')}.000Z`;
const killed = { exitCode: null, signal: 'SIGKILL' };
const closedByPeer = { exitCode: 1, lastLines: ['RuntimeError: Connection closed by peer [10.0.0.2]:4242'] };
const oom = { exitCode: 1, lastLines: ['torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB'] };
const nccl = {
  exitCode: 134,
  lastLines: [
    'Watchdog caught collective operation timeout: WorkNCCL(SeqNum=418, OpType=ALLREDUCE) ran for 600012 milliseconds',
  ],
};

function classOf(seen: EvidenceBuilder): string {
  const verdict = classify(seen.build());
  return verdict.kind === 'completed' ? 'completed' : verdict.class;
}

describe('completed', () => {
  test.each<{ title: string; seen: EvidenceBuilder }>([
    { title: 'an attempt with all the proof', seen: evidence() },
    {
      title: 'one whose job is gone, its result being there (C3, C6)',
      seen: evidence().but({ job: 'vanished', ranks: [] }),
    },
    { title: 'one that ended badly after its result', seen: evidence().ranks(killed) },
    { title: 'one that Temper stopped after its result', seen: evidence().but({ stoppedByTemper: 'shutdown' }) },
    {
      title: 'a merge, which trains no step and has no weights before',
      seen: evidence()
        .asked({ trains: false, resume: null, targetStep: 0 })
        .result({
          startStep: 0,
          finalStep: 0,
          startedFrom: { path: '/s', digest: 'digest-start' },
          weightsBefore: null,
          weightsAfter: null,
        }),
    },
    {
      title: 'one that only had to finish: its predecessor saved the last step and died before its result',
      seen: evidence()
        .asked({ resume: { step: 50, digest: 'digest-50' } })
        .result({
          startStep: 50,
          startedFrom: { path: '/s', digest: 'digest-50' },
          weightsBefore: 'same',
          weightsAfter: 'same',
        }),
    },
    {
      title: 'one that started at the beginning, from the start it was given',
      seen: evidence()
        .asked({ resume: null })
        .result({ startStep: 0, startedFrom: { path: '/s', digest: 'digest-start' } }),
    },
    {
      title: 'one whose resume had no seal yet, so that only its step can be compared',
      seen: evidence()
        .asked({ resume: { step: 20, digest: null } })
        .result({ startedFrom: null }),
    },
  ])('$title', ({ seen }) => {
    expect(classOf(seen)).toBe('completed');
  });
});

describe('exit code 0 proves nothing', () => {
  test.each<{ title: string; seen: EvidenceBuilder; want: FailureClass; rule: string }>([
    { title: 'no result at all (C20)', seen: evidence().withoutResult(), want: 'unproven', rule: 'no-result' },
    {
      title: 'the result of another attempt',
      seen: evidence().result({ attempt: 1 }),
      want: 'unproven',
      rule: 'result-of-another-job',
    },
    {
      title: 'the result of another job',
      seen: evidence().result({ job: 't-other' }),
      want: 'unproven',
      rule: 'result-of-another-job',
    },
    {
      title: 'the result of a twin',
      seen: evidence().result({ jobToken: 'token-1' }),
      want: 'unproven',
      rule: 'result-of-another-job',
    },
    {
      title: 'fewer steps than asked',
      seen: evidence().result({ finalStep: 48 }),
      want: 'unproven',
      rule: 'steps-missing',
    },
    {
      title: 'no step trained (C21)',
      seen: evidence().result({ finalStep: 20 }),
      want: 'no-progress',
      rule: 'no-step-trained',
    },
    {
      title: 'a target below the step it went on from (C21)',
      seen: evidence().asked({ targetStep: 10 }).result({ finalStep: 20 }),
      want: 'no-progress',
      rule: 'no-step-trained',
    },
    {
      title: 'a silent start from 0 (C21)',
      seen: evidence().result({ startStep: 0 }),
      want: 'resume-mismatch',
      rule: 'started-at-step',
    },
    {
      title: 'another checkpoint loaded than asked',
      seen: evidence().result({ startedFrom: { path: '/s', digest: 'digest-start' } }),
      want: 'resume-mismatch',
      rule: 'started-elsewhere',
    },
    {
      title: 'no checkpoint loaded',
      seen: evidence().result({ startedFrom: null }),
      want: 'resume-mismatch',
      rule: 'started-elsewhere',
    },
    {
      title: 'the target artifact torn',
      seen: evidence().but({ targetArtifactComplete: false }),
      want: 'unproven',
      rule: 'artifact-incomplete',
    },
    {
      title: 'a loss that was not finite on the way',
      seen: evidence().result({ finite: false }),
      want: 'not-finite',
      rule: 'metrics-not-finite',
    },
    {
      title: 'a last metric that is not finite',
      seen: evidence().result({ metrics: { kl: null } }),
      want: 'not-finite',
      rule: 'metrics-not-finite',
    },
    {
      title: 'weights that did not change',
      seen: evidence().result({ weightsAfter: 'weights-20' }),
      want: 'no-progress',
      rule: 'weights-unchanged',
    },
    {
      title: 'weights that it does not name',
      seen: evidence().result({ weightsBefore: null }),
      want: 'unproven',
      rule: 'weights-unknown',
    },
  ])('$title: $want', ({ seen, want, rule }) => {
    expect(classify(seen.build())).toMatchObject({ kind: 'failed', class: want, because: { rule } });
  });

  test('a torn artifact is a full disk when the log says so', () => {
    const seen = evidence()
      .but({ targetArtifactComplete: false })
      .ranks({ lastLines: ['OSError: [Errno 28] No space left on device'] });
    expect(classOf(seen)).toBe('disk-full');
  });
});

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
    { title: 'an end that nobody saw', seen: alone({ exitCode: null, endedAt: null }), want: 'unproven' },
  ])('$title: $want', ({ seen, want }) => {
    expect(classOf(seen)).toBe(want);
  });
});

describe('the root before its cascade', () => {
  test.each<{ title: string; ranks: Partial<RankEnd>[]; want: FailureClass; rank: number }>([
    {
      title: 'the first of two that were killed',
      ranks: [
        { ...killed, endedAt: at(9) },
        { ...killed, endedAt: at(3) },
      ],
      want: 'killed',
      rank: 1,
    },
    {
      title: 'a full GPU, though peers lost their connection before it was seen to end',
      ranks: [
        { ...closedByPeer, endedAt: at(1) },
        { ...oom, endedAt: at(2) },
      ],
      want: 'gpu-oom',
      rank: 1,
    },
    {
      title: 'a full GPU, though the launcher stopped the others first',
      ranks: [
        { exitCode: null, signal: 'SIGTERM', endedAt: at(1) },
        { ...oom, endedAt: at(2) },
        { exitCode: 143, endedAt: at(0) },
      ],
      want: 'gpu-oom',
      rank: 1,
    },
    {
      title: 'a killed rank, whose peers time out in NCCL',
      ranks: [
        { ...nccl, endedAt: at(30) },
        { ...killed, endedAt: at(1) },
      ],
      want: 'killed',
      rank: 1,
    },
    {
      title: 'NCCL itself, when no other cause is to be seen',
      ranks: [
        { ...nccl, endedAt: at(30) },
        { ...closedByPeer, endedAt: at(1) },
      ],
      want: 'nccl-watchdog',
      rank: 0,
    },
    {
      title: 'an unknown exception, whose peers time out in NCCL',
      ranks: [
        { ...nccl, endedAt: at(30) },
        { exitCode: 1, lastLines: ['ValueError: no moon'], endedAt: at(1) },
      ],
      want: 'unknown',
      rank: 1,
    },
    {
      title: 'an unknown exception, whose peers are killed afterwards',
      ranks: [
        { ...killed, endedAt: at(5) },
        { exitCode: 1, lastLines: ['ValueError: no moon'], endedAt: at(1) },
      ],
      want: 'unknown',
      rank: 1,
    },
    {
      title: 'a preempted pod, though peers failed while it was still saving',
      ranks: [
        { exitCode: 1, lastLines: ['RuntimeError: strange'], endedAt: at(5) },
        { exitCode: 143, reason: 'PreemptionByScheduler', endedAt: at(20) },
      ],
      want: 'preempted',
      rank: 1,
    },
    {
      title: 'the one whose end was seen',
      ranks: [
        { ...killed, endedAt: null },
        { ...killed, endedAt: at(50) },
      ],
      want: 'killed',
      rank: 1,
    },
    {
      title: 'the lowest rank of those that ended at once',
      ranks: [{ ...closedByPeer }, { ...killed }, { ...killed }],
      want: 'killed',
      rank: 1,
    },
    {
      title: 'a lost connection, when there is nothing else',
      ranks: [
        { ...closedByPeer, endedAt: at(3) },
        { ...closedByPeer, endedAt: at(2) },
      ],
      want: 'network',
      rank: 1,
    },
  ])('$title', ({ ranks, want, rank }) => {
    const seen = evidence()
      .withoutResult()
      .ranks(...ranks);
    expect(classify(seen.build())).toMatchObject({ kind: 'failed', class: want, rank, node: 'node-1' });
    const backwards = { ...seen.build(), ranks: [...seen.build().ranks].reverse() };
    expect(classify(backwards)).toEqual(classify(seen.build()));
  });

  test.each<{ title: string; code: number; lines?: string[]; want: FailureClass; rank: number }>([
    { title: 'killed', code: -9, want: 'killed', rank: 3 },
    {
      title: 'killed, though peers complain',
      code: -9,
      lines: ['RuntimeError: Connection closed by peer'],
      want: 'killed',
      rank: 3,
    },
    { title: 'aborted by the NCCL watchdog', code: -6, lines: nccl.lastLines, want: 'nccl-watchdog', rank: 0 },
    { title: 'segmentation fault', code: -11, want: 'crashed', rank: 3 },
    { title: 'out of memory', code: 1, lines: oom.lastLines, want: 'gpu-oom', rank: 0 },
  ])('torchrun ends with 1 whatever happened; its last words count: $title', ({ code, lines = [], want, rank }) => {
    const block = [
      'Root Cause (first observed failure):',
      '[0]:',
      '  rank      : 3 (local_rank: 3)',
      `  exitcode  : ${code} (pid: 4242)`,
    ];
    const seen = evidence()
      .withoutResult()
      .ranks({ exitCode: 1, lastLines: [...lines, ...block] });
    expect(classify(seen.build())).toMatchObject({ class: want, rank });
  });
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
    because: { rule: 'signal', rank: 0, signal: 'SIGKILL' },
  });
});
