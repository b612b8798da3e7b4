/** Tables on a terminal that is too narrow for all of their columns. */
import { type Column, columnsText } from '../../../workers/terminal/columns.ts';

const columns: readonly Column<string>[] = [
  { head: 'phase', cell: (row) => row },
  { head: 'tokens', cell: () => '3390/3741', spare: 2 },
  { head: 'mean', cell: () => '0.438' },
  { head: 'run, s', cell: () => '239/254', spare: 1 },
];
const heads = (width?: number) => columnsText(columns, ['drgrpo'], width).split('\n');

test.each([
  { width: 33, want: 'phase   tokens     mean   run, s', left: undefined },
  { width: 32, want: 'phase   tokens     mean', left: '(this terminal is too narrow for "run, s")' },
  { width: 20, want: 'phase   mean', left: '(this terminal is too narrow for "tokens", "run, s")' },
  { width: 5, want: 'phase   mean', left: '(this terminal is too narrow for "tokens", "run, s")' },
])('of $width characters: those that are spare are left out, and named', ({ width, want, left }) => {
  const lines = heads(width);
  expect([lines[0], lines[3]]).toEqual([want, left]);
});

test('what no terminal reads has all', () => {
  expect(heads()[0]).toBe('phase   tokens     mean   run, s');
});
