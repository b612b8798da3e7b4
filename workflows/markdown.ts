/** Markdown for the run's page: GFM that reads well in the Temporal UI, whose tables have no padding. */

const emSpace = '\u2003';
/** Current details are fetched by URL: more than this breaks behind a proxy. Bytes. */
const longestPage = 3500;
/** One cell, so that a long one leaves room for the others; the phase's own page has all of it. Characters. */
const longestCell = 240;
/** One entry of a list. Characters. */
const longestEntry = 800;
/** Characters. */
const longestSummary = 200;

/** What markdown, the UI's formulas and its typography (`--` becomes a dash, `...` an ellipsis, `(c)` a sign) would not leave as it is. */
const marks = /[\\`*_<>[\]|~#$]|(?<=-)-|-(?=-)|\.(?=\.\.)|(?<=\.)\.(?=\.)|(?<=\.\.)\.|\((?=(?:c|r|tm|p)\))/gi;

/** Text from outside (log lines, reasons) as plain text. */
export function escaped(text: string): string {
  return text.replace(marks, (mark) => `\\${mark}`).replace(/\s+/g, ' ');
}

/** A table whose cells do not run together; rows that would make the page too long are counted instead. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell + emSpace).join(' | ')} |`;
  const lines = [line(heads), `|${heads.map(() => ' --- |').join('')}`];
  let length = bytesOf(lines.join('\n'));
  for (const [index, row] of rows.entries()) {
    const next = line(row.map((cell) => unbroken(escaped(cut(cell, longestCell)))));
    length += bytesOf(next) + 1;
    if (length > longestPage) return [...lines, '', `… and ${String(rows.length - index)} more rows`].join('\n');
    lines.push(next);
  }
  return lines.join('\n');
}

/** `0.425–0.588` stays in one line: a browser breaks it behind the dash, unless a word joiner stands on both sides. */
function unbroken(cell: string): string {
  return cell.replace(/(?<=\d)–(?=\d)/g, '\u2060–\u2060');
}

/** The newest entries, in their order, as many as the page holds; those before are counted. */
export function newestOf(entries: readonly string[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const [index, entry] of entries.toReversed().entries()) {
    const next = `- ${escaped(cut(entry, longestEntry))}`;
    length += bytesOf(next) + 1;
    if (length > longestPage) return [`- … and ${String(entries.length - index)} before`, ...lines].join('\n');
    lines.unshift(next);
  }
  return lines.join('\n');
}

/** One entry of a list: its head as it is written, then text from outside, cut to so many bytes. */
export function entry(head: string, text: string, longestBytes: number): string {
  let length = Math.min(text.length, longestBytes);
  let line = `- ${head}: ${escaped(cut(text, length))}`;
  while (bytesOf(line) > longestBytes && length > 1) {
    // A character has four bytes at most: this never cuts more than it must by much.
    length = Math.max(1, length - Math.ceil((bytesOf(line) - longestBytes) / 4));
    line = `- ${head}: ${escaped(cut(text, length))}`;
  }
  return line;
}

/** One paragraph of text from outside. */
export function paragraph(text: string): string {
  return escaped(cut(text, longestEntry));
}

/** The line beside an activity or a timer, which is kept in the history of the run. */
export function summaryOf(text: string): string {
  return cut(text.replace(/\s+/g, ' '), longestSummary);
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** Length as it travels. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
