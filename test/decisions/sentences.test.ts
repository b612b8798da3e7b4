import type { ClassReason } from '../../decisions/failure.ts';
import { percent, points } from '../../decisions/gate-sentences.ts';
import type { RetryDecision, RetryReason } from '../../decisions/retry.ts';
import type { WaitKind } from '../../decisions/states.ts';
import {
  duration,
  linesOfHung,
  sentenceOfClass,
  sentenceOfDifference,
  sentenceOfProgress,
  sentenceOfResumePoint,
  sentenceOfRetry,
} from '../../decisions/sentences.ts';
import { chooseResumePoint } from '../../decisions/resume-point.ts';
import { resumeCandidate } from '../support/builders.ts';

test.each<{ because: ClassReason; want: string }>([
  {
    because: { rule: 'log-line', rank: 3, line: 'CUDA out of memory' },
    want: 'unknown: rank 3 said "CUDA out of memory".',
  },
  {
    because: { rule: 'log-line', rank: 5, role: { name: 'engine', index: 1 }, line: 'watchdog timeout' },
    want: 'unknown: engine 1 said "watchdog timeout".',
  },
  { because: { rule: 'exit-code', rank: 0, exitCode: 134 }, want: 'unknown: rank 0 ended with exit code 134.' },
  { because: { rule: 'signal', rank: 1, signal: 'SIGKILL' }, want: 'unknown: rank 1 was ended by SIGKILL.' },
  {
    because: { rule: 'backend-reason', rank: 0, reason: 'OOMKilled' },
    want: 'unknown: the backend says OOMKilled of rank 0.',
  },
  {
    because: { rule: 'trainer-said', reason: 'data', message: 'no rows' },
    want: 'unknown: the trainer stopped itself (data): no rows.',
  },
  { because: { rule: 'stopped-by-temper', why: 'stalled' }, want: 'unknown: Temper stopped it (stalled).' },
  {
    because: { rule: 'no-result' },
    want: 'unknown: it ended without a result, and an exit code alone proves nothing.',
  },
  {
    because: { rule: 'result-of-another-job', job: 't-x', attempt: 1 },
    want: 'unknown: the result found belongs to attempt 1 of t-x, not to this job.',
  },
  {
    because: { rule: 'no-step-trained', startStep: 20, targetStep: 50 },
    want: 'unknown: it says it is done but trained no step (it started at step 20 of 50).',
  },
  {
    because: { rule: 'steps-missing', finalStep: 48, targetStep: 50 },
    want: 'unknown: it says it is done at step 48 of 50.',
  },
  {
    because: { rule: 'artifact-incomplete', step: 50 },
    want: 'unknown: it says it is done, but the checkpoint of step 50 is not complete on the store.',
  },
  { because: { rule: 'metrics-not-finite', metric: 'loss' }, want: 'unknown: loss was not a finite number.' },
  {
    because: { rule: 'metrics-not-finite', metric: null },
    want: 'unknown: a loss or gradient norm was not a finite number.',
  },
  {
    because: { rule: 'waited', wait: { for: 'mount', reason: 'FailedMount: no export', seconds: 601, node: 'gpu-7' } },
    want: 'unknown: it waited 10 min for its volumes (FailedMount: no export).',
  },
  { because: { rule: 'weights-unchanged' }, want: 'unknown: the weights are the same after training as before.' },
  {
    because: { rule: 'weights-unknown' },
    want: 'unknown: it does not say which weights it had before and after training.',
  },
  {
    because: { rule: 'started-at-step', want: 20, was: 0 },
    want: 'unknown: it was told to start at step 20 and started at step 0.',
  },
  {
    because: { rule: 'started-elsewhere', want: 'abc', was: null },
    want: 'unknown: it was told to start from abc and loaded nothing.',
  },
  {
    because: { rule: 'vanished' },
    want: 'unknown: the job is gone, and it left neither a result nor a record of its end.',
  },
])('$want', ({ because, want }) => {
  expect(sentenceOfClass('unknown', because)).toBe(want);
});

const decided = { delaySeconds: 0, change: null, avoidNodes: [] };
test.each<{ decision: RetryDecision; want: string }>([
  {
    decision: {
      kind: 'resume',
      ...decided,
      because: { rule: 'class', class: 'preempted', charged: false, spent: 1, budget: 5 },
    },
    want: 'Resumes from the newest checkpoint: preempted costs no attempt (1 of 5 spent).',
  },
  {
    decision: {
      kind: 'resume',
      delaySeconds: 120,
      change: { kind: 'micro-batch', from: { microBatch: 8, accumulation: 1 }, to: { microBatch: 4, accumulation: 2 } },
      avoidNodes: ['a', 'b'],
      because: { rule: 'class', class: 'gpu-oom', charged: true, spent: 2, budget: 5 },
    },
    want: 'Resumes from the newest checkpoint in 2 min, micro-batch × accumulation 4 × 2 instead of 8 × 1, away from a, b: gpu-oom cost an attempt, 2 of 5 are spent.',
  },
  {
    decision: {
      kind: 'restart',
      ...decided,
      change: { kind: 'memory', factor: 1.5 },
      because: { rule: 'class', class: 'host-oom', charged: true, spent: 1, budget: 5 },
    },
    want: 'Starts again, with 1.50 times the memory: host-oom cost an attempt, 1 of 5 are spent.',
  },
  {
    decision: {
      kind: 'roll-back',
      rollBackBefore: 40,
      ...decided,
      because: { rule: 'class', class: 'not-finite', charged: true, spent: 1, budget: 5 },
    },
    want: 'Rolls back to the last finite checkpoint before step 40: not-finite cost an attempt, 1 of 5 are spent.',
  },
  {
    decision: {
      kind: 'wait',
      ...decided,
      delaySeconds: 30,
      because: { rule: 'waiting', class: 'quota', waitedSeconds: 60, budgetSeconds: 3600 },
    },
    want: 'Waits and tries again in 30 s: quota, waited 60 s of at most 60 min.',
  },
  {
    decision: {
      kind: 'fail',
      ...decided,
      because: { rule: 'no-retry-helps', class: 'config', rootCause: 'NameError' },
    },
    want: 'Fails: no retry mends config.',
  },
])('$want', ({ decision, want }) => {
  expect(sentenceOfRetry(decision)).toBe(want);
});

test.each<{ because: RetryReason; want: string }>([
  {
    because: { rule: 'needs-a-person', class: 'job-lost', rootCause: 'vanished' },
    want: 'job-lost needs a person to look',
  },
  {
    because: { rule: 'same-root-cause', class: 'killed', rootCause: 'SIGKILL', times: 3, step: 418 },
    want: 'the same cause 3 times without a new step after step 418',
  },
  {
    because: { rule: 'no-new-step', times: 10, step: 5 },
    want: 'stopped 10 times from outside without a new step after step 5',
  },
  {
    because: { rule: 'class-limit', class: 'not-finite', times: 2, atMost: 1 },
    want: 'not-finite happened 2 times, and is answered 1 times by itself',
  },
  {
    because: { rule: 'memory-ladder-ends', batch: null },
    want: 'the GPU is out of memory, and how the batch is cut is not known',
  },
  {
    because: { rule: 'memory-ladder-ends', batch: { microBatch: 1, accumulation: 8 } },
    want: 'the GPU is out of memory with 1 × 8, which cannot be cut smaller',
  },
  { because: { rule: 'attempts-spent', spent: 5, budget: 5 }, want: 'all 5 attempts are spent' },
  { because: { rule: 'gpu-hours-spent', spent: 2.5, budget: 2 }, want: '2.50 of 2.00 GPU hours are spent' },
  {
    because: { rule: 'waited-too-long', class: 'quota', waitedSeconds: 7200, budgetSeconds: 3600 },
    want: 'quota, waited 2.0 h of at most 60 min',
  },
])('Holds for a person, GPUs released: $want', ({ because, want }) => {
  expect(sentenceOfRetry({ kind: 'hold', ...decided, because })).toBe(`Holds for a person, GPUs released: ${want}.`);
});

test.each(['hold', 'fail'] as const)('an evaluation job that comes to %s holds no phase', (kind) => {
  const because = { rule: 'needs-a-person', class: 'job-lost', rootCause: 'vanished' } as const;
  expect(sentenceOfRetry({ kind, ...decided, because }, 'evaluate')).toBe(
    'Gives up these evaluations until the gate asks for them again: job-lost needs a person to look.',
  );
});

test.each<{ waited: { for: WaitKind; reason: string | null }; want: string }>([
  {
    waited: { for: 'config', reason: 'CreateContainerConfigError: secret "hf" not found' },
    want: 'make the secret "hf"',
  },
  { waited: { for: 'config', reason: 'FailedMount: configmap "rules" not found' }, want: 'make the configmap "rules"' },
  { waited: { for: 'claim', reason: null }, want: 'make or bind the claim, or name another in the profile' },
])('what only a person mends is an order: $want', ({ waited, want }) => {
  const because = { rule: 'needs-a-person', class: 'config', rootCause: 'waited', waited } as const;
  expect(sentenceOfRetry({ kind: 'hold', ...decided, because })).toContain(`released: ${want}, then let it go on.`);
});

test('a change of shared memory and a prune are named', () => {
  const because = { rule: 'class', class: 'unknown', charged: true, spent: 1, budget: 5 } as const;
  expect(
    sentenceOfRetry({ kind: 'resume', ...decided, change: { kind: 'shared-memory', factor: 2 }, because }),
  ).toContain('with 2.00 times the shared memory');
  expect(sentenceOfRetry({ kind: 'resume', ...decided, change: { kind: 'prune' }, because })).toContain(
    'after pruning what may go',
  );
});

test('a resume point names what it goes on from and what it passed over', () => {
  const seen = [
    resumeCandidate(20),
    resumeCandidate(30, { level: 'torn', damage: 'no optimizer.pt' }),
    resumeCandidate(40, { finite: false }),
    resumeCandidate(50, { resumable: false }),
  ];
  expect(sentenceOfResumePoint(chooseResumePoint(seen))).toBe(
    'Goes on from demo/sft/a1/checkpoint-20 at step 20. demo/sft/a1/checkpoint-50 holds weights alone: without its optimizer and random state training would not go on but begin anew. demo/sft/a1/checkpoint-40 was made after a loss or gradient that was not finite. demo/sft/a1/checkpoint-30 is not complete (no optimizer.pt).',
  );
  expect(
    sentenceOfResumePoint(chooseResumePoint([resumeCandidate(20)], { rollBacks: [{ before: 10, upToAttempt: 1 }] })),
  ).toBe(
    "Starts at the phase's start: there is no checkpoint to go on from. demo/sft/a1/checkpoint-20 lies at step 20, and only checkpoints before step 10 are trusted.",
  );
});

test('progress and identity in words', () => {
  expect(sentenceOfProgress({ kind: 'alive', doing: 'saving', idleSeconds: 70, budgetSeconds: 3600 })).toBe(
    'It is saving; last movement 70 s ago, 60 min are allowed.',
  );
  expect(
    sentenceOfProgress({ kind: 'stalled', doing: 'training', step: 7, idleSeconds: 1000, budgetSeconds: 900 }),
  ).toBe('It has been training without movement at step 7 for 17 min; 15 min are allowed.');
  expect(sentenceOfDifference({ path: 'params.lora.rank', before: 8, after: undefined })).toBe(
    'Not reused: params.lora.rank was 8 and is now absent.',
  );
});

test.each([
  { value: duration(89), want: '89 s' },
  { value: duration(90), want: '2 min' },
  { value: duration(5400), want: '1.5 h' },
  { value: percent(0.6344), want: '63.4 %' },
  { value: points(0.012), want: '+1.2' },
  { value: points(-0.012), want: '−1.2' },
  { value: points(0), want: '0.0' },
  { value: points(-0.0001), want: '0.0' },
  { value: points(0.0001), want: '0.0' },
])('reads $want', ({ value, want }) => {
  expect(value).toBe(want);
});

test('where a stalled attempt hung: the innermost frames of each process', () => {
  const frames = ['File "a.py", line 1 in wait', 'File "b.py", line 2 in loss'];
  expect(
    linesOfHung([
      { rank: 0, frames },
      { rank: 5, frames: frames.slice(1) },
    ]),
  ).toEqual([
    'hung: rank 0 at File "a.py", line 1 in wait',
    'hung:   called by File "b.py", line 2 in loss',
    'hung: rank 5 at File "b.py", line 2 in loss',
  ]);
});
