/** Rows as columns that line up. Colours are put on afterwards, when the widths are known; a cell stays in its line. */
import { printable } from './printable.ts';

export interface Column<Row> {
  readonly head: string;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => string;
  /** What is done to the cell once it has its width. */
  readonly paint?: (text: string, row: Row) => string;
  /** Where a terminal is too narrow for all, those with a number are left out, the lowest first. */
  readonly spare?: number;
}

/** Characters of a line; what is read by a program has no end. */
function terminalWidth(): number {
  // A terminal that does not say how wide it is says 0.
  return process.stdout.isTTY ? process.stdout.columns || 80 : Infinity;
}

/** The heads, a rule, and a line for each row; last, what a terminal of this width has no room for. */
export function columnsText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width = terminalWidth(),
): string {
  const shown = fitting(columns, rows, width);
  const out = columns.filter((column) => !shown.includes(column)).map(({ head }) => `"${head}"`);
  const table = neededBy(shown, rows) > width ? foldedText(shown, rows, width) : tableText(shown, rows);
  return out.length === 0 ? table : `${table}\n(this terminal is too narrow for ${out.join(', ')})`;
}

function fitting<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): readonly Column<Row>[] {
  const spares = columns.flatMap(({ spare }) => spare ?? []);
  if (neededBy(columns, rows) <= width || spares.length === 0) return columns;
  const least = Math.min(...spares);
  const kept = columns.filter(({ spare }) => spare !== least);
  return fitting(kept, rows, width);
}

const neededBy = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number =>
  widthsOf(columns, rows).reduce((sum, one) => sum + one + 2, -2);

/** Where no column can be spared: each row over several lines, each cell behind its head and whole. */
function foldedText<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  return rows.map((row) => folded(columns, row, width)).join('\n');
}

function folded<Row>(columns: readonly Column<Row>[], row: Row, width: number): string {
  const told = columns.filter((column) => textOf(column, row) !== '');
  let [lines, room] = ['', width];
  for (const [index, column] of told.entries()) {
    const text = textOf(column, row);
    const length = column.head.length + 1 + text.length + (index === 0 ? 0 : 2);
    const isNewLine = index > 0 && length > room;
    const before = index === 0 ? '' : isNewLine ? '\n  ' : '  ';
    lines += `${before}${column.head} ${column.paint ? column.paint(text, row) : text}`;
    room = (isNewLine ? width : room) - length;
  }
  return lines;
}

const textOf = <Row>({ cell }: Column<Row>, row: Row): string => printable(cell(row));

function widthsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] {
  return columns.map((column) => Math.max(column.head.length, ...rows.map((row) => textOf(column, row).length)));
}

function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const widths = widthsOf(columns, rows);
  const padded = ({ align }: Column<Row>, text: string, width: number) =>
    align === 'right' ? text.padStart(width) : text.padEnd(width);
  const heads = columns.map((column, index) => padded(column, column.head, widths[index] ?? 0));
  const lines = rows.map((row) =>
    columns.map((column, index) => {
      const text = padded(column, textOf(column, row), widths[index] ?? 0);
      return column.paint ? column.paint(text, row) : text;
    }),
  );
  const rule = widths.map((width) => '─'.repeat(width));
  return [heads, rule, ...lines].map((cells) => cells.join('  ').trimEnd()).join('\n');
}
