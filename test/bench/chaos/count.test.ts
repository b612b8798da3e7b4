import { countFrom, type TornCheckpoint } from '../../../bench/chaos/count.ts';
import type { WitnessEvent } from '../../../store/witness.ts';

const begin = Date.parse('2026-11-29T10:00:00.000Z');

interface Told {
  readonly attempt?: number;
  readonly phase?: string;
  readonly kind?: string;
  readonly status?: WitnessEvent['status'];
}

/** An event at so many seconds. */
function at(seconds: number, what: `${WitnessEvent['event']} ${number}`, told: Told = {}): WitnessEvent {
  const [event, step] = what.split(' ') as [WitnessEvent['event'], string];
  const { attempt = 1, phase = 'sft', kind = phase, status = null } = told;
  const token = `${phase} ${kind} ${String(attempt)}`;
  const time = new Date(begin + seconds * 1000).toISOString();
  return {
    event,
    time,
    step: Number(step),
    status,
    pid: 100 + attempt,
    pipeline: 'p',
    phase,
    kind,
    attempt,
    job: token,
    token,
  };
}
const completed = { status: 'completed' } as const;
const second = { attempt: 2 } as const;
const count = (events: readonly WitnessEvent[], torn: readonly TornCheckpoint[] = []) =>
  countFrom(events, { torn, slots: 1 });

/** Attempt 1 saves step 2 and is killed after step 3; attempt 2 goes on from a step. */
const killedAndResumedFrom = (step: number) => [
  at(0, 'start 0'),
  at(1, 'step 1'),
  at(2, 'step 2'),
  at(2, 'checkpoint 2'),
  at(3, 'step 3'),
  at(10, `start ${step}`, second),
  ...Array.from({ length: 4 - step }, (_, index) => at(11 + index, `step ${step + index + 1}`, second)),
  at(20, 'stop 4', { ...second, ...completed }),
];

test('nobody told anything: nothing happened', () => {
  expect(count([])).toMatchObject({ twins: 0, lostFinishedPhases: 0, redoneSteps: 0, goodput: 0 });
});

test('a trainer that goes on from the newest checkpoint redoes what was never saved, and nothing else', () => {
  expect(count(killedAndResumedFrom(2))).toEqual({
    twins: 0,
    lostFinishedPhases: 0,
    redoneSteps: 0,
    attempts: 2,
    trainedSteps: 5,
    usefulSteps: 4,
    usefulSeconds: 4,
    lostSeconds: 1,
    wallSeconds: 20,
    goodput: 0.2,
  });
});

test.each([
  { title: 'one that starts over', from: 0, want: 2 },
  { title: 'one that starts from an older step', from: 1, want: 1 },
])('$title redoes steps that a whole checkpoint had', ({ from, want }) => {
  expect(count(killedAndResumedFrom(from)).redoneSteps).toBe(want);
});

test('a checkpoint that was cut short is nothing to go on from', () => {
  const torn = [{ pipeline: 'p', phase: 'sft', attempt: 1, step: 2 }];
  expect(count(killedAndResumedFrom(0), torn).redoneSteps).toBe(0);
  expect(count(killedAndResumedFrom(0), [{ pipeline: 'p', phase: 'other', attempt: 1, step: 2 }]).redoneSteps).toBe(2);
});

describe('twins', () => {
  const first = [at(0, 'start 0'), at(1, 'step 1'), at(5, 'step 2')];
  test.each([
    { title: 'two trainers of a phase at once are twins', other: second, want: 1 },
    { title: 'two phases at once are none', other: { ...second, phase: 'orpo' }, want: 0 },
    { title: 'an evaluation beside the training is none', other: { ...second, kind: 'evaluate' }, want: 0 },
  ])('$title', ({ other, want }) => {
    expect(count([...first, at(3, 'start 0', other), at(4, 'step 1', other)]).twins).toBe(want);
  });
  test('one after the other are none', () => {
    expect(count([...first, at(5, 'start 0', second), at(6, 'step 1', second)]).twins).toBe(0);
  });
});

describe('finished phases', () => {
  const finished = [at(0, 'start 0'), at(1, 'step 1'), at(2, 'stop 1', completed)];
  test('one that is trained again is lost', () => {
    expect(count([...finished, at(3, 'start 0', second), at(4, 'step 1', second)]).lostFinishedPhases).toBe(1);
  });
  test('one that a further attempt only looked at is not', () => {
    const looked = [at(3, 'start 1', second), at(4, 'stop 1', { ...second, ...completed })];
    expect(count([...finished, ...looked]).lostFinishedPhases).toBe(0);
  });
  test('one that was stopped, not completed, may go on', () => {
    const stopped = [at(0, 'start 0'), at(1, 'step 1'), at(2, 'stop 1', { status: 'stopped' })];
    expect(count([...stopped, at(3, 'start 1', second), at(4, 'step 2', second)]).lostFinishedPhases).toBe(0);
  });
});
