import { classify } from '../../decisions/classify.ts';
import type { FailureClass, RankEnd } from '../../decisions/failure.ts';
import { evidence } from '../support/builders.ts';

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
      title: 'a killed process of one pod, though torchrun in another lost its connection and ended first',
      ranks: [
        {
          exitCode: 1,
          lastLines: [
            '[rank0]: RuntimeError: [gloo/transport/tcp/pair.cc:545] Read error [10.0.0.2]:57552: Connection reset by peer. Check the logs.',
            'Root Cause (first observed failure):',
            '  rank      : 0 (local_rank: 0)',
            '  exitcode  : 1 (pid: 689)',
          ],
          endedAt: at(1),
        },
        {
          exitCode: 137,
          lastLines: [
            'Root Cause (first observed failure):',
            '  rank      : 1 (local_rank: 0)',
            '  exitcode  : -9 (pid: 690)',
          ],
          endedAt: at(1),
        },
      ],
      want: 'killed',
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
      title: 'NCCL itself, though the pods that were ended with it were killed before',
      ranks: [
        { ...killed, reason: 'taken-along', endedAt: at(5) },
        { ...nccl, endedAt: at(30) },
      ],
      want: 'nccl-watchdog',
      rank: 1,
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
      title: 'an Xid on one node, though every peer then reports an illegal access or a lost connection',
      ranks: [
        { exitCode: 1, lastLines: ['RuntimeError: Connection closed by peer [10.0.0.2]:4242'], endedAt: at(1) },
        { exitCode: 134, lastLines: [...nccl.lastLines], endedAt: at(2) },
        { exitCode: 1, lastLines: ['NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus.'], endedAt: at(9) },
      ],
      want: 'hardware',
      rank: 2,
    },
    {
      title: 'an engine whose watchdog fired, though Ray and the trainer lost their actor first',
      ranks: [
        { exitCode: 1, lastLines: ['ray.exceptions.ActorDiedError: The actor died unexpectedly'], endedAt: at(8) },
        { exitCode: 137, lastLines: ['[TP0] Watchdog timeout (self.watchdog_timeout=300)'], endedAt: at(3) },
      ],
      want: 'engine-watchdog',
      rank: 1,
    },
    {
      title: 'a full disk of the rank that saves, whose peers wait for it in a collective',
      ranks: [
        { exitCode: 1, lastLines: ['RuntimeError: basic_ios::clear: iostream error'], endedAt: at(9) },
        { ...nccl, endedAt: at(4) },
        { ...nccl, endedAt: at(5) },
      ],
      want: 'disk-full',
      rank: 0,
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
    { title: 'aborted by the NCCL watchdog', code: -6, lines: nccl.lastLines, want: 'nccl-watchdog', rank: 3 },
    { title: 'segmentation fault', code: -11, want: 'crashed', rank: 3 },
    { title: 'out of memory', code: 1, lines: oom.lastLines, want: 'gpu-oom', rank: 3 },
    {
      title: 'an exception of its own, though a peer says later that it has lost it',
      code: 1,
      lines: [
        '[rank3]: Traceback (most recent call last):',
        '[rank3]: ValueError: no moon',
        '[rank0]: torch.OutOfMemoryError: CUDA out of memory',
        '[rank0]: RuntimeError: Connection reset by peer',
      ],
      want: 'unknown',
      rank: 3,
    },
    {
      title: 'out of memory by its own lines',
      code: 1,
      lines: [
        '[rank3]: torch.OutOfMemoryError: CUDA out of memory',
        '[rank0]: TypeError: got an unexpected keyword argument',
      ],
      want: 'gpu-oom',
      rank: 3,
    },
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

test('an engine that went in the second in which a trainer missed it is the cause, by its role', () => {
  const refused = { exitCode: 1, lastLines: ['requests.exceptions.ConnectionError: refused'], endedAt: at(3) };
  const gone = {
    exitCode: 70,
    lastLines: ['error: role engine ended by itself with exit code 0 before the trainers were done'],
    endedAt: at(3),
  };
  const ranks = [
    { ...refused, role: { name: 'trainer', index: 0 } },
    { ...gone, role: { name: 'engine', index: 0 } },
  ];
  expect(
    classify(
      evidence()
        .but({ result: null, targetArtifactComplete: false })
        .ranks(...ranks)
        .build(),
    ),
  ).toMatchObject({ class: 'engine-dead', rank: 1, because: { role: { name: 'engine', index: 0 } } });
});
