/** What commands print: lines for a person, one JSON document for a script. */
import { createScreen, type Screen } from '../terminal/bars.ts';

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Beside the answer: a script that reads standard output does not see it. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function sayJson(value: unknown): void {
  say(JSON.stringify(value, null, 2));
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
