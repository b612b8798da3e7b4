/** The log of Megatron-LM: ` iteration 12/ 100 | … | lm loss: 1.2E+00 | …`, and the line that says which iteration was loaded. */
import { type LineReader, metricsOf } from './line-reader.ts';

const iteration = /\biteration\s+(\d+)\s*\/\s*(\d+)\s*\|/;
const loaded = /successfully loaded checkpoint from .* at iteration (\d+)/;
const nothingLoaded = /will not load any checkpoints and will start from random/;

export function megatronLines(): LineReader {
  return (line) => {
    const at = iteration.exec(line);
    if (at !== null) {
      const pairs = line
        .slice(at.index + at[0].length)
        .split('|')
        .map((part) => part.split(':'))
        .map(([name = '', text = '']) => [shortName(name.trim()), text] as const);
      return { kind: 'step', step: Number(at[1]), of: Number(at[2]), metrics: metricsOf(pairs) };
    }
    const from = loaded.exec(line);
    if (from !== null) return { kind: 'started', step: Number(from[1]) };
    return nothingLoaded.test(line) ? { kind: 'started', step: 0 } : null;
  };
}

/** The two that every trainer has, by the names that all others use. */
function shortName(name: string): string {
  if (name === 'lm loss') return 'loss';
  return name.replaceAll(' ', '_');
}
