/** What commands print: lines for a person, one JSON document for a script. What comes from outside can do nothing to a terminal. */
import { createScreen, type Screen } from '../terminal/bars.ts';
import { printableLines, printableLog } from '../terminal/printable.ts';

export function say(text: string): void {
  process.stdout.write(`${printableLines(text)}\n`);
}

/** Beside the answer: a script that reads standard output does not see it. */
export function note(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`);
}

/** A part of a log: whole where no terminal reads it. */
export function sayLog(text: string): void {
  process.stdout.write(process.stdout.isTTY ? printableLog(text) : text);
}

/** Control characters beyond those that JSON escapes by itself. */
const unescaped = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

export function sayJson(value: unknown): void {
  const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  process.stdout.write(`${JSON.stringify(value, null, 2).replaceAll(unescaped, escaped)}\n`);
}

/** Bars on a terminal that can move its cursor, lines elsewhere. */
export function screenOf(output: NodeJS.WriteStream): Screen {
  return createScreen({
    write: (text) => output.write(text),
    isTerminal: output.isTTY && process.env['TERM'] !== 'dumb',
    // A terminal that does not say how wide it is says 0.
    columns: () => output.columns || 80,
  });
}
