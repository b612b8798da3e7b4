import { longestSaveOf, sentenceOfSaves } from '../../decisions/save-time.ts';
import type { Doing } from '../../decisions/states.ts';

const lines = (...said: readonly (readonly [second: number, doing: Doing])[]) =>
  said.map(([second, doing]) => ({ time: new Date(second * 1000).toISOString(), doing }));

test.each([
  { title: 'none', said: lines([0, 'training'], [5, 'training']), want: null },
  { title: 'one that nobody saw the end of', said: lines([0, 'training'], [5, 'saving']), want: null },
  {
    title: 'the longest of two',
    said: lines([0, 'saving'], [4, 'training'], [10, 'saving'], [31, 'training']),
    want: 21,
  },
  { title: 'one that is said twice', said: lines([0, 'saving'], [50, 'saving'], [60, 'finishing']), want: 60 },
])('the longest save: $title', ({ said, want }) => {
  expect(longestSaveOf(said)).toBe(want);
});

test.each([
  {
    title: 'longer than the grace',
    saves: { longestSeconds: 312, graceSeconds: 120 },
    want: /^A save took 5 min.* 2 min/,
  },
  { title: 'as long', saves: { longestSeconds: 120, graceSeconds: 120 }, want: null },
])('a save that is $title', ({ saves, want }) => {
  const said = sentenceOfSaves({ saves });
  if (want === null) expect(said).toBeNull();
  else expect(said).toMatch(want);
});

test('nothing is said where no save was seen', () => {
  expect(sentenceOfSaves({})).toBeNull();
});
