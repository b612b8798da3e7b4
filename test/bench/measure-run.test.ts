import { measureRun, quantile, type JobTime } from '../../bench/measure-run.ts';

const train = (phase: string, startedAt: number, endedAt: number): JobTime => ({
  phase,
  purpose: 'train',
  startedAt,
  endedAt,
  checkpoints: [],
});
const evaluate = (checkpoint: string, startedAt: number, endedAt: number): JobTime => ({
  phase: 'sft',
  purpose: 'evaluate',
  startedAt,
  endedAt,
  checkpoints: [checkpoint],
});

const run = {
  beganAt: 0,
  endedAt: 30_000,
  phases: [
    { phase: 'sft', endedAt: 16_000 },
    { phase: 'orpo', endedAt: 29_000 },
  ],
  jobs: [
    train('sft', 1000, 11_000),
    evaluate('c5', 6000, 9000),
    evaluate('c10', 11_500, 15_000),
    train('orpo', 18_000, 28_000),
  ],
  sealedAt: new Map([
    ['c5', 5000],
    ['c10', 10_500],
    ['never', 3000],
  ]),
};

test('time in which two jobs run at once is counted once', () => {
  expect(measureRun(run)).toMatchObject({ wallSeconds: 30, overheadSeconds: 30 - 10 - 3.5 - 10 });
});

test('a phase is followed by the first job that starts after its end, and the last by none', () => {
  expect(measureRun(run).phaseEndToNextJob).toEqual([2]);
});

test('only evaluations that began beside the training count as reactions to a checkpoint', () => {
  expect(measureRun(run).checkpointToEvaluation).toEqual([1]);
});

test.each([
  { values: [3, 1, 2], share: 0.5, want: 2 },
  { values: [3, 1, 2], share: 1, want: 3 },
  { values: [], share: 0.5, want: null },
])('the $share quantile of $values is $want', ({ values, share, want }) => {
  expect(quantile(values, share)).toBe(want);
});
