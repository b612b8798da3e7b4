/** The page of a pipeline puts together what it is told of scores from outside, whatever overtakes what. */
import type { OutsideRow } from '../../decisions/outside-rows.ts';
import { toldOutside } from '../../decisions/shown-scores.ts';
import { outsideBoard } from '../../workflows/outside-board.ts';

const row = (step: number, mean = 0.8): OutsideRow => ({
  ...{ phase: step < 1000 ? 'sft' : 'sao', step, checkpoint: `checkpoint-${String(step)}`, benchmark: 'public' },
  ...{ version: 1, score: { mean, low: 0, high: 1, runs: 1, problems: 50 }, place: null, runtime: null, sources: [] },
});
const at = (minute: number) => `2026-11-30T10:${String(minute).padStart(2, '0')}:00Z`;
/** Of all these rows, what is said of one. */
const one = (rows: readonly OutsideRow[], about: OutsideRow, minute: number) =>
  toldOutside(rows, { changed: [about], asOf: at(minute) });
const shown = (board: ReturnType<typeof outsideBoard>) => board.rows().map(({ step, score }) => [step, score?.mean]);

test('each message changes what it is about, and nothing else', () => {
  const board = outsideBoard();
  board.hear(one([row(1)], row(1), 1));
  board.hear(one([row(1), row(2)], row(2), 2));
  board.hear(one([row(1, 0.5), row(2)], row(1), 3));
  expect([shown(board), board.leftOut()]).toEqual([
    [
      [2, 0.8],
      [1, 0.5],
    ],
    0,
  ]);
  board.hear(one([row(1, 0.5)], row(2), 4));
  expect([shown(board), board.leftOut()]).toEqual([[[1, 0.5]], 0]);
});

test('what was asked for earlier and comes later changes nothing of what is newer, a withdrawal neither', () => {
  const board = outsideBoard();
  board.hear(one([row(1, 0.5)], row(1), 5));
  board.hear(one([row(1), row(2)], row(1), 4));
  expect(shown(board)).toEqual([[1, 0.5]]);
  board.hear(one([], row(1), 7));
  board.hear(one([row(1)], row(1), 6));
  expect([shown(board), board.leftOut()]).toEqual([[], 0]);
});

test('of hundreds it keeps the newest, and says how many more there are', () => {
  const board = outsideBoard();
  const all = Array.from({ length: 250 }, (_, index) => row(index));
  for (const [index, about] of all.entries()) board.hear(one(all.slice(0, index + 1), about, 1));
  expect(board.rows().map(({ step }) => step)).toEqual(all.slice(150).map(({ step }) => step));
  expect(board.leftOut()).toBe(150);
});

test('of what comes in at once every row stands there, and those that were there stay, as far as there is room', () => {
  const board = outsideBoard();
  const before = row(2000);
  board.hear(one([before], before, 1));
  const few = Array.from({ length: 57 }, (_, index) => row(index));
  board.hear(toldOutside([...few, before], { changed: few, asOf: at(2) }));
  expect(board.rows()).toEqual([before, ...few]);
  expect(board.leftOut()).toBe(0);
  const many = Array.from({ length: 250 }, (_, index) => row(index, 0.5));
  board.hear(toldOutside([...many, before], { changed: many, asOf: at(3) }));
  expect(board.rows()).toEqual(many.slice(150));
  expect(board.leftOut()).toBe(151);
});

test('what has no row takes no room from what has one', () => {
  const board = outsideBoard();
  const there = Array.from({ length: 60 }, (_, index) => row(index));
  const gone = Array.from({ length: 90 }, (_, index) => row(1000 + index));
  board.hear(toldOutside(there, { changed: there, asOf: at(1) }));
  board.hear(toldOutside(there, { changed: gone, asOf: at(3) }));
  expect([board.rows(), board.leftOut()]).toEqual([there, 0]);
  for (const about of gone) board.hear(one([...there, about], about, 2));
  expect([board.rows(), board.leftOut()]).toEqual([there, 0]);
});

test('of an older worker a message is all that there is', () => {
  const board = outsideBoard();
  board.hear({ rows: [row(1), row(2)], leftOut: 3, asOf: at(1) });
  board.hear({ rows: [row(2)], asOf: at(3) });
  board.hear({ rows: [row(1)], asOf: at(2) });
  expect([shown(board), board.leftOut()]).toEqual([[[2, 0.8]], 0]);
});

test('of phases that begin anew nothing is kept', () => {
  const board = outsideBoard();
  board.hear({ rows: [row(1), row(1001)], asOf: at(1) });
  board.forget(new Set(['sao']));
  expect([shown(board), board.leftOut()]).toEqual([[[1, 0.8]], 0]);
});
