import { type ClassReason, type Evidence, type RankEnd } from '../../decisions/failure.ts';
import type { RetryDecision } from '../../decisions/retry.ts';
import { type NextAttempt, sentenceOfFailure, whatFailed } from '../../decisions/what-happened.ts';
import { evidence, incident, progress } from '../support/builders.ts';

const ncclLine =
  '[rank5]:[E1129 03:12:00.113 ProcessGroupNCCL.cpp:616] [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1234, OpType=_ALLGATHER_BASE, NumelIn=1, NumelOut=8, Timeout(ms)=1800000) ran for 1800032 milliseconds before timing out.';

/** The last 50 steps of an attempt 2 that went on from step 400, on one node. */
const asked = { targetStep: 500, resume: { path: '/store/checkpoint-400', step: 400, digest: null } };
const running = (change: Partial<Evidence> = {}) =>
  evidence()
    .asked(asked)
    .withoutResult()
    .but({ lastProgress: progress('training', { step: 418, of: 500 }), ...change });

const of = (line: string, rank = 0): ClassReason => ({ rule: 'log-line', rank, line });

describe('who followed', () => {
  const watchdog = incident('nccl-watchdog', { because: of(ncclLine, 5), rank: 5, node: 'gpu-7', step: 418 }).build(2);
  const aborted = { exitCode: 134, signal: null, lastLines: [ncclLine] };
  const followed = { exitCode: 143 };
  const torchrun = [
    'W1129 torch/distributed/elastic: Sending process 41 closing signal SIGTERM',
    'W1129 torch/distributed/elastic: Sending process 42 closing signal SIGTERM',
    'Root Cause (first observed failure):',
    '  rank      : 5 (local_rank: 1)',
    '  exitcode  : -6 (pid: 43)',
  ];
  test.each<{ title: string; ranks: Partial<RankEnd>[]; want: string }>([
    { title: 'nobody, of a single process', ranks: [aborted], want: '' },
    { title: 'one', ranks: [followed, { ...aborted, rank: 5 }], want: '; the other rank followed' },
    {
      title: 'all',
      ranks: [...Array.from({ length: 5 }, () => followed), aborted, followed, followed],
      want: '; the other 7 ranks followed',
    },
    {
      title: 'some',
      ranks: [followed, { exitCode: 0 }, { exitCode: 0 }, { exitCode: 0 }, { exitCode: 0 }, aborted],
      want: '; 1 of the other 5 ranks followed',
    },
    {
      title: 'an engine’s trainers, by the pod',
      ranks: [followed, followed, { ...aborted, rank: 5, role: { name: 'engine', index: 0 } }],
      want: '; the other 2 pods followed',
    },
    {
      title: 'what torchrun took along',
      ranks: [{ exitCode: 1, lastLines: torchrun }],
      want: '; the other 2 ranks followed',
    },
    {
      title: 'pods of torchrun',
      ranks: [{ exitCode: 1, lastLines: torchrun }, { exitCode: 1 }],
      want: '; the other pod followed',
    },
  ])('$title', ({ ranks, want }) => {
    const said = whatFailed({
      purpose: 'train',
      incident: watchdog,
      evidence: running()
        .ranks(...ranks)
        .build(),
    });
    expect(said).toBe(`attempt 2, node gpu-7: NCCL watchdog on rank 5 after 1,800 s in all-gather at step 418${want}`);
  });
});

describe('where it was', () => {
  const killed = incident('killed', {
    because: { rule: 'signal', rank: 0, signal: 'SIGKILL' },
    node: null,
    step: 0,
  }).build(2);
  test.each<{ title: string; change: Partial<Evidence>; nodes: string[]; want: string }>([
    {
      title: 'before its first step',
      change: { lastProgress: null },
      nodes: ['gpu-7'],
      want: 'attempt 2, node gpu-7: rank 0 was killed by SIGKILL before its first step',
    },
    {
      title: 'on several nodes, none of them blamed',
      change: { lastProgress: null },
      nodes: ['gpu-9', 'gpu-7', ''],
      want: 'attempt 2, nodes gpu-7, gpu-9: rank 0 was killed by SIGKILL before its first step',
    },
    {
      title: 'on many nodes',
      change: { lastProgress: null },
      nodes: ['a', 'b', 'c', 'd'],
      want: 'attempt 2, 4 nodes: rank 0 was killed by SIGKILL before its first step',
    },
    {
      title: 'where nothing is trained',
      change: { asked: { ...running().build().asked, trains: false } },
      nodes: ['gpu-7'],
      want: 'attempt 2, node gpu-7: rank 0 was killed by SIGKILL',
    },
  ])('$title', ({ change, nodes, want }) => {
    const known = running(change).ranks(...nodes.map((node) => ({ node })));
    expect(whatFailed({ purpose: 'train', incident: killed, evidence: known.build() })).toBe(want);
  });

  test('of an evaluation job by what it had made', () => {
    const known = evidence().asked({ targetStep: 6, trains: false }).ranks({ node: 'gpu-7' }).build();
    const seen = { ...killed, attempt: 3, node: 'gpu-7', completedStep: 2 };
    expect(whatFailed({ purpose: 'evaluate', incident: seen, evidence: known })).toBe(
      'evaluation job 3, node gpu-7: rank 0 was killed by SIGKILL, after 2 of 6 evaluations',
    );
  });
});

describe('what came of it', () => {
  const failed = {
    purpose: 'train' as const,
    incident: incident('killed', {
      because: { rule: 'signal', rank: 0, signal: 'SIGKILL' },
      node: 'gpu-7',
      step: 418,
    }).build(2),
    evidence: running().ranks({ node: 'gpu-7' }).build(),
  };
  const decided = { delaySeconds: 10, change: null, avoidNodes: [] as string[] };
  const because = { rule: 'class', class: 'killed', charged: true, spent: 1, budget: 5 } as const;
  const resume: RetryDecision = { kind: 'resume', ...decided, because };
  const next = { number: 3, resumeStep: 400, nodes: [], lostSeconds: null };

  test.each<{ title: string; decision: RetryDecision | null; want: string }>([
    { title: 'nothing yet', decision: null, want: '' },
    { title: 'goes on', decision: resume, want: '; goes on from its newest checkpoint in 10 s' },
    {
      title: 'goes on elsewhere with less',
      decision: {
        ...resume,
        delaySeconds: 0,
        avoidNodes: ['gpu-7'],
        change: {
          kind: 'micro-batch',
          from: { microBatch: 8, accumulation: 1 },
          to: { microBatch: 4, accumulation: 2 },
        },
      },
      want: '; goes on from its newest checkpoint, micro-batch × accumulation 4 × 2 instead of 8 × 1, away from gpu-7',
    },
    { title: 'begins anew', decision: { ...resume, kind: 'restart' }, want: '; begins anew in 10 s' },
    {
      title: 'rolls back',
      decision: { ...resume, kind: 'roll-back', rollBackBefore: 37 },
      want: '; goes back to the last checkpoint before step 37 in 10 s',
    },
    { title: 'waits', decision: { ...resume, kind: 'wait' }, want: '; waits and tries again in 10 s' },
    {
      title: 'is held',
      decision: { kind: 'hold', ...decided, because: { rule: 'attempts-spent', spent: 5, budget: 5 } },
      want: '; held for a person, all 5 attempts are spent',
    },
    {
      title: 'fails',
      decision: { kind: 'fail', ...decided, because: { rule: 'no-retry-helps', class: 'config', rootCause: 'bad' } },
      want: '; the phase failed, no retry mends config',
    },
  ])('before another attempt: $title', ({ decision, want }) => {
    expect(sentenceOfFailure(failed, { decision, next: null })).toBe(
      `attempt 2, node gpu-7: rank 0 was killed by SIGKILL at step 418${want}.`,
    );
  });

  test.each<{
    title: string;
    decision?: RetryDecision;
    then: Partial<NextAttempt>;
    want: string;
  }>([
    { title: 'it went on', then: {}, want: 'went on from step 400 as attempt 3; 18 steps lost' },
    {
      title: 'on another node, with its time',
      then: { nodes: ['gpu-9'], lostSeconds: 720 },
      want: 'went on from step 400 as attempt 3 on node gpu-9; 18 steps (12 min) lost',
    },
    {
      title: 'on other nodes',
      then: { nodes: ['gpu-8', 'gpu-9'] },
      want: 'went on from step 400 as attempt 3 on other nodes; 18 steps lost',
    },
    {
      title: 'on the same node',
      then: { nodes: ['gpu-7'] },
      want: 'went on from step 400 as attempt 3; 18 steps lost',
    },
    { title: 'one step further', then: { resumeStep: 417 }, want: 'went on from step 417 as attempt 3; 1 step lost' },
    { title: 'nothing was lost', then: { resumeStep: 418 }, want: 'went on from step 418 as attempt 3; no step lost' },
    { title: 'from nothing', then: { resumeStep: 0 }, want: 'began anew as attempt 3; 418 steps lost' },
    {
      title: 'with more memory',
      decision: { ...resume, change: { kind: 'memory', factor: 1.5 } },
      then: {},
      want: 'went on from step 400 as attempt 3, with 1.50 times the memory; 18 steps lost',
    },
    {
      title: 'after a person let it',
      decision: { kind: 'hold', ...decided, because: { rule: 'attempts-spent', spent: 5, budget: 5 } },
      then: {},
      want: 'held until a person let it go on, then went on from step 400 as attempt 3; 18 steps lost',
    },
  ])('once there is another attempt: $title', ({ decision = resume, then, want }) => {
    expect(sentenceOfFailure(failed, { decision, next: { ...next, ...then } })).toBe(
      `attempt 2, node gpu-7: rank 0 was killed by SIGKILL at step 418; ${want}.`,
    );
  });

  test('an evaluation job that is given up holds no phase', () => {
    const because = { rule: 'needs-a-person', class: 'job-lost', rootCause: 'vanished' } as const;
    const decision = { kind: 'hold', ...decided, because } as const;
    expect(sentenceOfFailure({ ...failed, purpose: 'evaluate' }, { decision, next: null })).toMatch(
      /; gave up these evaluations until the gate asks for them again, job-lost needs a person to look\.$/,
    );
  });
});
