import type { ClassReason } from '../../decisions/failure.ts';
import { type GateVerdict } from '../../decisions/gate.ts';
import { percent, points, sentencesOfStage, sentenceOfVerdict, whyNot } from '../../decisions/gate-sentences.ts';
import type { RetryDecision, RetryReason } from '../../decisions/retry.ts';
import {
  duration,
  sentenceOfClass,
  sentenceOfDifference,
  sentenceOfProgress,
  sentenceOfResumePoint,
  sentenceOfRetry,
} from '../../decisions/sentences.ts';
import { chooseResumePoint } from '../../decisions/resume-point.ts';
import { checkpoint, resumeCandidate } from '../support/builders.ts';

test.each<{ because: ClassReason; want: string }>([
  {
    because: { rule: 'log-line', rank: 3, line: 'CUDA out of memory' },
    want: 'unknown: rank 3 said "CUDA out of memory".',
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
    want: 'Fails: no retry mends config: NameError.',
  },
])('$want', ({ decision, want }) => {
  expect(sentenceOfRetry(decision)).toBe(want);
});

test.each<{ because: RetryReason; want: string }>([
  {
    because: { rule: 'needs-a-person', class: 'job-lost', rootCause: 'vanished' },
    want: 'job-lost needs a person to look: vanished',
  },
  {
    because: { rule: 'same-root-cause', class: 'killed', rootCause: 'SIGKILL', times: 3, step: 418 },
    want: 'the same cause 3 times without a new step after step 418: SIGKILL',
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
  expect(sentenceOfResumePoint(chooseResumePoint([resumeCandidate(20)], { rollBackBefore: 10 }))).toBe(
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

const line = { checkpoint: 'c1', step: 10, score: 0.5, seeds: 2 };
const estimate = { mean: 0.01, low: -0.03, high: 0.05, n: 40 };
test.each<{ verdict: GateVerdict; want: string }>([
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: null,
      because: { rule: 'no-gate', step: 10 },
      stages: [],
    },
    want: 'Promoted c1: no gate is set, and it is the newest, at step 10.',
  },
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: null,
      because: { rule: 'newest', step: 10, passed: 2 },
      stages: [],
    },
    want: 'Promoted c1: the newest of 2 candidates that passed, at step 10.',
  },
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: 0.5,
      because: { rule: 'highest', benchmark: 'addition', score: 0.5, next: null },
      stages: [],
    },
    want: 'Promoted c1: highest on addition with 50.0 %; it is the only candidate.',
  },
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: 0.5,
      because: {
        rule: 'highest',
        benchmark: 'addition',
        score: 0.5,
        next: { ...line, checkpoint: 'c2', score: 0.4, tokensPerSample: 9, fromLeader: estimate, tied: false },
      },
      stages: [],
    },
    want: 'Promoted c1: highest on addition with 50.0 %; next is c2 with 40.0 %.',
  },
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: 0.5,
      because: { rule: 'tie', by: 'earlier', benchmark: 'addition', among: 3 },
      stages: [],
    },
    want: 'Promoted c1: 3 candidates cannot be told apart on addition, and it is the earliest.',
  },
  {
    verdict: {
      kind: 'more-evaluations',
      missing: [],
      because: { rule: 'first-seeds', seeds: 2, missing: 1 },
      stages: [],
    },
    want: '1 evaluation missing before the gate can judge (seeds 1 to 2 of each candidate).',
  },
  {
    verdict: {
      kind: 'more-evaluations',
      missing: [],
      because: { rule: 'undecided', benchmark: 'addition', contenders: ['c1', 'c2'], missing: 3 },
      stages: [],
    },
    want: 'The evidence on addition does not decide for c1, c2: 3 evaluations more.',
  },
  {
    verdict: { kind: 'hold', because: { rule: 'no-candidates' }, stages: [] },
    want: 'Held: there is no candidate to promote.',
  },
  {
    verdict: { kind: 'hold', because: { rule: 'evaluation-budget', missing: 3, left: 1 }, stages: [] },
    want: 'Held: 3 evaluations would be needed, and the budget leaves 1.',
  },
  {
    verdict: {
      kind: 'reject',
      because: { rule: 'none-passed', stage: 0, candidates: 1 },
      stages: [{ stage: 'score-at-least', benchmark: 'addition', atLeast: 0.9, lines: [] }],
    },
    want: 'Rejected: none of 1 candidate passed "At least 90.0 % on addition".',
  },
])('$want', ({ verdict, want }) => {
  expect(sentenceOfVerdict(verdict)).toBe(want);
});

test('each stage is told with its numbers', () => {
  const parent = { checkpoint: 'p', score: 0.49, seeds: 1 };
  const bound = { ...line, estimate, decidedBy: 'point-estimate' as const, outcome: 'passed' as const };
  expect(
    sentencesOfStage({ stage: 'not-worse-than-parent', benchmark: 'addition', margin: 0.02, parent, lines: [bound] }),
  ).toEqual([
    'Not more than 2.0 points below the parent on addition:',
    "c1: 50.0 %, +1.0 (−3.0 to +5.0) points to the parent's 49.0 % (passed by the point estimate: 2 seeds left it open).",
  ]);
  expect(
    sentencesOfStage({
      stage: 'not-worse-than-parent',
      benchmark: 'addition',
      margin: 0,
      parent: null,
      lines: [{ ...bound, estimate: null, decidedBy: 'no-parent' }],
    })[1],
  ).toBe('c1: 50.0 %, passes: there is no parent to compare with.');
  expect(
    sentencesOfStage({
      stage: 'score-at-least',
      benchmark: 'addition',
      atLeast: 0.4,
      lines: [{ ...bound, estimate: { ...estimate, low: 0.45, high: 0.55 }, decidedBy: 'interval' }],
    })[1],
  ).toBe('c1: 50.0 %, 45.0 % to 55.0 % (passed with 2 seeds).');
  const ranked = { ...line, tokensPerSample: 9.5, fromLeader: null, tied: true };
  expect(
    sentencesOfStage({
      stage: 'rank',
      benchmark: 'addition',
      tie: ['tokens', 'earlier'],
      lines: [ranked, { ...ranked, checkpoint: 'c2', fromLeader: estimate }],
    }),
  ).toEqual([
    'Highest mean on addition; inside the noise: fewer tokens, then earlier:',
    'c1: 50.0 %, 9.5 tokens per sample, the highest mean.',
    'c2: 50.0 %, 9.5 tokens per sample, +1.0 (−3.0 to +5.0) points to the highest, inside the noise.',
  ]);
});

test('one that passed but is older than the promoted one hears so', () => {
  const verdict: GateVerdict = {
    kind: 'promote',
    checkpoint: checkpoint('c2', 20),
    score: null,
    because: { rule: 'newest', step: 20, passed: 2 },
    stages: [],
  };
  expect(whyNot(verdict, 'c1')).toBe('c2 is newer.');
});
