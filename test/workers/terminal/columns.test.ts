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
])('of $width characters: those that are spare are left out, and named', ({ width, want, left }) => {
  const lines = heads(width);
  expect([lines[0], lines[3]]).toEqual([want, left]);
});

test('where even the others do not fit, a row is folded between its cells and no cell is broken', () => {
  const interval: Column<string> = { head: '95 %', cell: () => '0.425–0.588' };
  expect(columnsText([...columns, interval], ['drgrpo', 'sft'], 24)).toBe(
    [
      'phase drgrpo  mean 0.438',
      '  95 % 0.425–0.588',
      'phase sft  mean 0.438',
      '  95 % 0.425–0.588',
      '(this terminal is too narrow for "tokens", "run, s")',
    ].join('\n'),
  );
});

test('what no terminal reads has all', () => {
  expect(heads()[0]).toBe('phase   tokens     mean   run, s');
});
