/** Rows as columns that line up. Colours are put on afterwards, when the widths are known; a cell stays in its line. */
import { printable } from './printable.ts';

export interface Column<Row> {
  readonly head: string;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => string;
  /** What is done to the cell once it has its width. */
  readonly paint?: (text: string, row: Row) => string;
}

/** The heads, a rule, and a line for each row. */
export function columnsText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const textOf = ({ cell }: Column<Row>, row: Row) => printable(cell(row));
  const widths = columns.map((column) =>
    Math.max(column.head.length, ...rows.map((row) => textOf(column, row).length)),
  );
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
