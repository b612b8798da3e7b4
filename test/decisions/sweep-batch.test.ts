/** What one job of a sweep makes, within its hours. */
import { type BatchInput, nextBatch } from '../../decisions/sweep-batch.ts';
import type { DueEvaluation } from '../../decisions/sweep.ts';

const one = (checkpoint: string, more: Partial<DueEvaluation> = {}): DueEvaluation => ({
  ...{ checkpoint, benchmark: 'addition', version: 1, seed: 1, because: 'contender', group: 'one' },
  ...more,
});
const batch = (more: Partial<BatchInput>) => {
  const { now, beyondBudget } = nextBatch({
    due: ['a', 'b', 'c'].map((id) => one(id)),
    spentHours: 0,
    hours: 1,
    hoursOf: () => 0.1,
    failuresOf: () => 0,
    ...more,
  });
  return { now: now.map(({ checkpoint }) => checkpoint), left: beyondBudget.map(({ checkpoint }) => checkpoint) };
};

test('as many as fit into the hours that are left, the most informative first', () => {
  expect(batch({ spentHours: 0.75 })).toEqual({ now: ['a', 'b'], left: [] });
  expect(batch({ spentHours: 0.95 })).toEqual({ now: [], left: ['a', 'b', 'c'] });
});

test('a dear one that does not fit lets cheaper ones pass, and is told', () => {
  const due = [one('a', { benchmark: 'dear' }), one('b'), one('c')];
  expect(batch({ due, hoursOf: ({ benchmark }) => (benchmark === 'dear' ? 2 : 0.1) })).toEqual({
    now: ['b', 'c'],
    left: ['a'],
  });
});

test('what an evaluation takes is looked up once for each benchmark and version, whatever it is', () => {
  const asked: string[] = [];
  const due = Array.from({ length: 300 }, (_, index) => one(String(index), { benchmark: `b${String(index % 3)}` }));
  const hoursOf: BatchInput['hoursOf'] = ({ benchmark, version }) => {
    asked.push(`${benchmark}@${String(version)}`);
    return benchmark === 'b0' ? null : 0.1;
  };
  batch({ due, hoursOf });
  expect(asked.toSorted()).toEqual(['b0@1', 'b1@1', 'b2@1']);
});

test('what nobody has measured is tried alone, while any hour is left', () => {
  expect(batch({ hoursOf: () => null })).toEqual({ now: ['a'], left: [] });
  expect(batch({ hoursOf: () => null, spentHours: 1 })).toEqual({ now: [], left: ['a', 'b', 'c'] });
});

test('one job takes those of one group', () => {
  expect(batch({ due: [one('a'), one('b', { group: 'other' }), one('c')] }).now).toEqual(['a', 'c']);
});

test('what failed together with others is tried alone, and after that no more', () => {
  const failures = (count: number) => ({
    failuresOf: ({ checkpoint }: DueEvaluation) => (checkpoint === 'a' ? count : 0),
  });
  expect(batch(failures(1)).now).toEqual(['a']);
  expect(batch(failures(2)).now).toEqual(['b', 'c']);
});

test('a job has at most 24', () => {
  expect(batch({ due: Array.from({ length: 40 }, (_, at) => one(String(at))), hours: 100 }).now).toHaveLength(24);
});
