/** What a page is told of scores from outside stays small, however many there are. */
import type { OutsideRow } from '../../decisions/outside-rows.ts';
import { sourcesText, toldOutside, withSources } from '../../decisions/shown-scores.ts';

const asOf = '2026-11-30T10:00:00Z';
const row = (step: number, change: Partial<OutsideRow> = {}): OutsideRow => ({
  ...{ phase: 'sft', step, checkpoint: `demo/sft/a1/checkpoint-${String(step)}`, benchmark: 'public', version: 1 },
  ...{ score: { mean: 0.8, low: 0.67, high: 0.888, runs: 1, problems: 50 }, place: null, runtime: null },
  ...{ sources: [] },
  ...change,
});
const sources = Array.from({ length: 400 }, (_, index) => `submission ${String(index)} ${'x'.repeat(180)}`);
const many = Array.from({ length: 300 }, (_, index) => row(index, { sources }));
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('one score among hundreds is one row with its newest sources, and the number of all', () => {
  const told = toldOutside(many, { changed: [row(7)], asOf });
  expect(told).toMatchObject({ rows: [{ step: 7, sourcesOmitted: 397 }], changed: { total: 300 } });
  expect(told.rows[0]?.sources).toEqual(sources.slice(-3));
  expect(bytes(told)).toBeLessThan(1500);
});

test('what a gate tells of hundreds is bounded, the newest of them', () => {
  const told = toldOutside(many, { changed: null, asOf });
  expect(told.rows.map(({ step }) => step)).toEqual(Array.from({ length: 20 }, (_, index) => 280 + index));
  expect(told.changed?.keys.map(({ checkpoint }) => checkpoint)).toEqual(told.rows.map(({ checkpoint }) => checkpoint));
  expect(bytes(told)).toBeLessThan(25_000);
});

test('of many that come in at once a message has as many as a page, and names no other that is there', () => {
  const told = toldOutside(many, { changed: [row(900), ...many], asOf });
  expect(told.rows.map(({ step }) => step)).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index));
  expect(told.rows.map((one) => one.sources.length + (one.sourcesOmitted ?? 0))).toEqual(told.rows.map(() => 400));
  const named = [...told.rows, row(900)].map(({ checkpoint }) => checkpoint);
  expect(told.changed).toMatchObject({ keys: named.map((checkpoint) => ({ checkpoint })), total: 300 });
  expect(bytes(told)).toBeLessThan(75_000);
});

test('what has no score any more is named without a row, and of thousands as many as are worth it', () => {
  const { rows, changed } = toldOutside([row(1)], { changed: [row(2)], asOf });
  expect([rows, changed?.keys.map(({ checkpoint }) => checkpoint)]).toEqual([[], ['demo/sft/a1/checkpoint-2']]);
  const gone = Array.from({ length: 3000 }, (_, index) => row(1000 + index));
  expect(bytes(toldOutside([row(1)], { changed: gone, asOf }))).toBeLessThan(12_000);
});

test('how many sources are left out is said where they are listed', () => {
  expect(sourcesText(row(1, { sources: ['one', 'two'] }))).toBe('one; two');
  expect(sourcesText(withSources(row(1, { sources: ['one', 'two', 'three'] }), 2))).toBe(
    '1 older left out; two; three',
  );
});
