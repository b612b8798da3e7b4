/** Markdown for the run's page: GFM that reads well in the Temporal UI, whose tables have no padding. */

const emSpace = '\u2003';
/** Current details are fetched by URL: more than this breaks behind a proxy. Characters. */
const longest = 3500;

/** Text from outside (log lines, reasons) as plain text. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_<[\]|~]/g, (mark) => `\\${mark}`).replace(/\s+/g, ' ');
}

/** A table whose cells do not run together; rows that would make the page too long are counted instead. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell + emSpace).join(' | ')} |`;
  const lines = [line(heads), `|${heads.map(() => ' --- |').join('')}`];
  let length = lines.join('\n').length;
  for (const [index, row] of rows.entries()) {
    const next = line(row.map(escaped));
    length += next.length + 1;
    if (length > longest) return [...lines, '', `… and ${String(rows.length - index)} more rows`].join('\n');
    lines.push(next);
  }
  return lines.join('\n');
}
