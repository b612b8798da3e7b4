/**
 * The log of a Hugging Face Trainer, and of what is built on it: the step from its progress bar, the numbers from the rows it prints.
 *
 * A row names no step: it belongs to the bar around it. ms-swift names both in its rows. Its bar has the title `Train:`.
 * Does not cover other titles, such as those of a data set, nor bars over other than the steps of the phase.
 */
import { type LineReader, metricsOf } from './line-reader.ts';

const bar = /^(?:\[[^\]]*\]:?)?\s*(?:Train:\s*)?\d+%\|[^|]*\|\s*(\d+)\/(\d+) \[/;
const pair = /['"]([^'"]+)['"]: ['"]?([^'",}]+)/g;
const stepOfRow = /['"](?:global_step\/max_steps|iteration)['"]: ['"](\d+)\/(\d+)['"]/;

/** `of`: the steps of the phase. */
export function hfTrainerLines(of: number): LineReader {
  let step: number | null = null;
  return (line) => {
    const barred = bar.exec(line);
    if (barred !== null) {
      if (Number(barred[2]) !== of || Number(barred[1]) <= (step ?? 0)) return null;
      step = Number(barred[1]);
      return { kind: 'step', step, of, metrics: {} };
    }
    if (!isRow(line)) return null;
    const metrics = metricsOf([...line.matchAll(pair)].map(([, name = '', text = '']) => [name, text] as const));
    if (!('loss' in metrics)) return null;
    const named = stepOfRow.exec(line);
    if (named !== null) step = Number(named[1]);
    return { kind: 'step', step, of, metrics };
  };
}

/** No regular expression: one over the whole line would take a time that grows with the square of its length. */
function isRow(line: string): boolean {
  return line.trimEnd().endsWith('}') && (line.includes("{'") || line.includes('{"'));
}
