import fc from 'fast-check';
import { nextMemoryRung } from '../../decisions/memory-ladder.ts';
import type { WaitKind } from '../../decisions/states.ts';
import { decideRetry, type RetryBudgets, type RetryDecision, type RetrySituation } from '../../decisions/retry.ts';
import { waitRules } from '../../decisions/wait-rules.ts';
import {
  gpuOom,
  history,
  incident,
  type IncidentBuilder,
  killed,
  ncclWatchdog,
  notFinite,
  preempted,
  times,
  refusalOf,
} from '../support/builders.ts';

const budgets: RetryBudgets = { attempts: 5, waitMinutes: 60 };
const decide = (seen: readonly IncidentBuilder[], situation?: RetrySituation): RetryDecision =>
  decideRetry(budgets, history(...seen), situation);

test.each<{ title: string; seen: IncidentBuilder[]; want: RetryDecision['kind'] }>([
  { title: 'a preempted attempt goes on', seen: [preempted().atStep(40)], want: 'resume' },
  { title: 'one without a checkpoint starts again', seen: [killed()], want: 'restart' },
  {
    title: 'the same root cause three times without a new step asks a person',
    seen: [...times(3, ncclWatchdog().atStep(418))],
    want: 'hold',
  },
  {
    title: 'the same root cause three times with a new step each time goes on',
    seen: [10, 20, 30].map((step) => killed().atStep(step)),
    want: 'resume',
  },
  {
    title: 'three different causes at one step go on',
    seen: [killed().atStep(9), ncclWatchdog().atStep(9), incident('network').atStep(9)],
    want: 'resume',
  },
  {
    title: 'the same root cause three times asks a person, whatever happened in between',
    seen: [
      killed().atStep(9),
      preempted().atStep(9),
      killed().atStep(9),
      incident('quota').atStep(9),
      killed().atStep(9),
    ],
    want: 'hold',
  },
  {
    title: 'the same class with another cause each time goes on',
    seen: ['a', 'b', 'c'].map((text) => incident('unknown').because(text).atStep(4)),
    want: 'resume',
  },
  {
    title: 'a rolled-back phase that reaches its old step again has made no new one',
    seen: [killed().atStep(20), killed().completed(10), killed().atStep(20)],
    want: 'hold',
  },
  { title: 'nine preemptions in a row go on', seen: [...times(9, preempted())], want: 'restart' },
  { title: 'ten preemptions in a row without a step ask a person', seen: [...times(10, preempted())], want: 'hold' },
  {
    title: 'thirty preemptions with a new step each go on',
    seen: Array.from({ length: 30 }, (_, index) => preempted().atStep(index + 1)),
    want: 'resume',
  },
  {
    title: 'a fifth charged failure is the last of five',
    seen: [1, 2, 3, 4, 5].map((step) => killed().atStep(step)),
    want: 'hold',
  },
  { title: 'a fourth is not', seen: [1, 2, 3, 4].map((step) => killed().atStep(step)), want: 'resume' },
  {
    title: 'preemptions do not use up the budget of others (C13)',
    seen: [...times(8, preempted().atStep(1)), killed().atStep(2)],
    want: 'resume',
  },
  { title: 'numbers that are not finite roll back', seen: [notFinite().atStep(40)], want: 'roll-back' },
  {
    title: 'numbers that are not finite a second time ask a person',
    seen: [notFinite().atStep(40), notFinite().atStep(60)],
    want: 'hold',
  },
  {
    title: 'a damaged resume checkpoint is passed over',
    seen: [incident('resume-damaged').atStep(20)],
    want: 'resume',
  },
  { title: 'a damaged start asks a person', seen: [incident('start-damaged')], want: 'hold' },
  { title: 'a full cluster waits', seen: [incident('unschedulable')], want: 'wait' },
  { title: 'a wrong setting fails at once', seen: [incident('config')], want: 'fail' },
  {
    title: 'a wrong setting fails even with no budget left',
    seen: [...[1, 2, 3, 4, 5].map((step) => killed().atStep(step)), incident('auth')],
    want: 'fail',
  },
  { title: 'a job that is gone without a trace asks a person (C3)', seen: [incident('job-lost')], want: 'hold' },
])('$title', ({ seen, want }) => {
  expect(decide(seen).kind).toBe(want);
});

test('there is nothing to decide without an incident', () => {
  expect(refusalOf(() => decideRetry(budgets, []))).toBe('ledger-conflict');
});

describe('delays', () => {
  test('double while no new step is completed, up to ten minutes, and begin anew with a new step', () => {
    const network = (step: number) => incident('network').atStep(step).because(String(step));
    const many = { attempts: 99, waitMinutes: 60 };
    const delays = Array.from({ length: 8 }, (_, count) => {
      const seen = Array.from({ length: count + 1 }, (_unused, index) => incident('network').because(String(index)));
      return decideRetry(many, history(...seen)).delaySeconds;
    });
    expect(delays).toEqual([15, 30, 60, 120, 240, 480, 600, 600]);
    expect(decideRetry(many, history(network(1), network(1), network(2))).delaySeconds).toBe(15);
  });

  test.each<{ title: string; waited: readonly number[]; want: string }>([
    { title: 'an hour of waiting is its end', waited: [3600], want: 'hold' },
    { title: 'in several attempts too, with the delays between them', waited: [1200, 1200, 1180], want: 'hold' },
    { title: 'half an hour is not', waited: [1200, 600], want: 'wait' },
  ])('$title', ({ waited, want }) => {
    expect(decide(waited.map((seconds) => incident('mount').thatWaited(seconds))).kind).toBe(want);
  });

  test('an attempt that waited ten hours in the queue before it failed is charged one attempt (C32)', () => {
    expect(decide([incident('killed', { step: 3, waitedSeconds: 36_000 })])).toMatchObject({
      because: { charged: true, spent: 1 },
    });
  });

  test('what never started costs nothing and is tried again, whatever its class would cost one that ran', () => {
    const waits = ['init', 'starting', 'device'] as const;
    for (const kind of waits) {
      const slow = incident(waitRules[kind].class).thatWaited(600, kind);
      expect(decide([slow]).kind).toBe('wait');
      expect(decide([slow, slow, slow, killed()])).toMatchObject({ because: { charged: true, spent: 1 } });
    }
    const secret = incident('config').thatWaited(120, 'config');
    expect(decide([secret, killed()])).toMatchObject({ because: { spent: 1 } });
  });
});

test.each<WaitKind>(['config', 'admission', 'claim', 'image-refused', 'init-crashing'])(
  'a wait for %s is mended by a person alone: held at its first, with what is missing',
  (kind) => {
    const seen = incident(waitRules[kind].class).thatWaited(121, kind).because('secret "hf" not found');
    expect(decide([seen])).toMatchObject({
      kind: 'hold',
      because: { rule: 'needs-a-person', rootCause: 'secret "hf" not found' },
    });
  },
);

test('two jobs that were in each other’s way come back apart, each by its own name', () => {
  const seen = [incident('half-scheduled').thatWaited(301, 'half-scheduled')];
  expect([0, 0.25, 1].map((share) => decide(seen, { share }).delaySeconds)).toEqual([60, 75, 120]);
  expect(decide([incident('mount').thatWaited(601)], { share: 1 }).delaySeconds).toBe(30);
});

test('a node that could not start its pods twice is avoided', () => {
  const seen = incident('sandbox').thatWaited(601, 'sandbox').on('gpu-7');
  expect(decide([seen, seen]).avoidNodes).toEqual(['gpu-7']);
});

describe('what has to change', () => {
  test.each<{ title: string; seen: IncidentBuilder; situation: RetrySituation; want: unknown }>([
    {
      title: 'a full GPU: half the micro-batch, twice the accumulation',
      seen: gpuOom(),
      situation: { batch: { microBatch: 8, accumulation: 2 } },
      want: { kind: 'micro-batch', from: { microBatch: 8, accumulation: 2 }, to: { microBatch: 4, accumulation: 4 } },
    },
    {
      title: 'full host memory: half as much again',
      seen: incident('host-oom'),
      situation: {},
      want: { kind: 'memory', factor: 1.5 },
    },
    {
      title: 'small shared memory: twice as much',
      seen: incident('shm-too-small'),
      situation: {},
      want: { kind: 'shared-memory', factor: 2 },
    },
    { title: 'a full disk: prune what may go', seen: incident('disk-full'), situation: {}, want: { kind: 'prune' } },
    { title: 'a killed process: nothing', seen: killed(), situation: {}, want: null },
  ])('$title', ({ seen, situation, want }) => {
    expect(decide([seen.atStep(10)], situation)).toMatchObject({ kind: 'resume', change: want });
  });

  test.each<{ name: 'host-oom' | 'shm-too-small'; situation: RetrySituation; want: unknown }>([
    { name: 'host-oom', situation: { memoryFactor: 1.5 }, want: { kind: 'memory', factor: 2.25 } },
    { name: 'shm-too-small', situation: { sharedMemoryFactor: 2 }, want: { kind: 'shared-memory', factor: 4 } },
  ])('$name a second time asks for more than the failed attempt had', ({ name, situation, want }) => {
    expect(decide([incident(name).atStep(1), incident(name).atStep(2)], situation).change).toEqual(want);
  });

  test.each<{
    title: string;
    name: 'host-oom' | 'shm-too-small' | 'disk-full';
    situation: RetrySituation;
    rule: string;
  }>([
    { title: 'more memory', name: 'host-oom', situation: { fixed: ['memory'] }, rule: 'cannot-change' },
    { title: 'more /dev/shm', name: 'shm-too-small', situation: { fixed: ['shared-memory'] }, rule: 'cannot-change' },
    { title: 'room on the disk', name: 'disk-full', situation: { prunableBytes: 0 }, rule: 'nothing-to-prune' },
  ])('asks a person where $title cannot be had, instead of failing the same way again', ({ name, situation, rule }) => {
    expect(decide([incident(name).atStep(1)], situation)).toMatchObject({ kind: 'hold', because: { rule } });
  });

  test.each<{ title: string; situation: RetrySituation }>([
    { title: 'at the end of the ladder', situation: { batch: { microBatch: 1, accumulation: 16 } } },
    { title: 'when the ladder is not known', situation: {} },
  ])('a full GPU asks a person $title', ({ situation }) => {
    expect(decide([gpuOom().atStep(10)], situation)).toMatchObject({
      kind: 'hold',
      because: { rule: 'memory-ladder-ends' },
    });
  });

  test('the ladder keeps the global batch, shrinks with each rung, and ends', () => {
    const size = fc.integer({ min: 1, max: 4096 });
    fc.assert(
      fc.property(size, size, (microBatch, accumulation) => {
        let rung: { microBatch: number; accumulation: number } | null = { microBatch, accumulation };
        for (let steps = 0; rung !== null; steps += 1) {
          expect(rung.microBatch * rung.accumulation).toBe(microBatch * accumulation);
          expect(Number.isInteger(rung.microBatch) && Number.isInteger(rung.accumulation)).toBe(true);
          expect(steps).toBeLessThanOrEqual(12);
          const next = nextMemoryRung(rung);
          if (next !== null) expect(next.microBatch).toBeLessThan(rung.microBatch);
          rung = next;
        }
      }),
    );
  });

  test('a roll-back goes before the first number that was not finite, however long the attempt trained on', () => {
    const late = incident('not-finite', { firstNotFiniteStep: 37 }).atStep(60).completed(60);
    expect(decide([late])).toMatchObject({ kind: 'roll-back', rollBackBefore: 37 });
  });

  test('a roll-back says before which step checkpoints are trusted', () => {
    expect(decide([notFinite().atStep(40).completed(30)])).toMatchObject({ kind: 'roll-back', rollBackBefore: 40 });
  });
});

describe('nodes', () => {
  test.each<{ title: string; seen: IncidentBuilder[]; want: string[] }>([
    { title: 'a first crash avoids nothing', seen: [killed().on('a').atStep(1)], want: [] },
    {
      title: 'a second on the same node avoids it',
      seen: [killed().on('a').atStep(1), ncclWatchdog().on('a').atStep(2)],
      want: ['a'],
    },
    {
      title: 'a second on another node avoids nothing',
      seen: [killed().on('a').atStep(1), killed().on('b').atStep(2)],
      want: [],
    },
    {
      title: 'broken hardware is avoided at once, and remembered',
      seen: [incident('hardware').on('b').atStep(1), preempted().on('c').atStep(2)],
      want: ['b'],
    },
    {
      title: 'a preemption says nothing of a node',
      seen: [preempted().on('a').atStep(1), preempted().on('a').atStep(2)],
      want: [],
    },
  ])('$title', ({ seen, want }) => {
    expect(decide(seen).avoidNodes).toEqual(want);
  });
});

test('GPU hours end a phase whatever the class costs', () => {
  const spent = decideRetry({ ...budgets, gpuHours: 2 }, history(preempted().atStep(3)), { gpuHoursUsed: 2.5 });
  expect(spent).toMatchObject({ kind: 'hold', because: { rule: 'gpu-hours-spent', spent: 2.5, budget: 2 } });
  expect(decideRetry({ ...budgets, gpuHours: 2 }, history(preempted().atStep(3)), { gpuHoursUsed: 1 }).kind).toBe(
    'resume',
  );
});
