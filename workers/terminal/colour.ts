/** Colours of words, on a terminal only; NO_COLOR and FORCE_COLOR are respected. */
import { styleText } from 'node:util';

type Meaning = 'good' | 'bad' | 'waiting' | 'quiet' | 'head';

const styles = { good: 'green', bad: 'red', waiting: 'yellow', quiet: 'gray', head: 'bold' } as const;

export function coloured(meaning: Meaning, text: string): string {
  return styleText(styles[meaning], text, { stream: process.stdout });
}

const meanings: Readonly<Record<string, Meaning>> = {
  completed: 'good',
  reused: 'good',
  running: 'head',
  evaluating: 'head',
  held: 'waiting',
  rejected: 'waiting',
  failed: 'bad',
  cancelled: 'bad',
  terminated: 'bad',
  'timed-out': 'bad',
  lost: 'bad',
};

/** A state in the colour it means; the state's word stays what is read. */
export function colouredState(state: string, text = state): string {
  const meaning = meanings[state];
  return meaning === undefined ? text : coloured(meaning, text);
}
