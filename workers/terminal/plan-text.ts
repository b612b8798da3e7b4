/** A plan as a person reads it on a terminal: per phase what would happen and why, then each value with where it came from. */
import type { Plan } from '../../workflows/contract-questions.ts';
import { coloured } from './colour.ts';
import { columnsText, type Column } from './columns.ts';

type Value = Plan['values'][number];

export function planText({ recipe, source, profile, phases }: Plan): string {
  const reused = phases.filter(({ plan }) => plan.would === 'reuse').length;
  const width = Math.max(...phases.map(({ phase }) => phase.length));
  const lines = phases.map(({ phase, plan, sentence }) => {
    const mark = plan.would === 'reuse' ? coloured('good', 'reuse') : coloured('head', 'run  ');
    return `  ${phase.padEnd(width)}  ${mark}  ${sentence}`;
  });
  const counts = `${String(phases.length - reused)} to run, ${String(reused)} to reuse`;
  return [`${recipe} (${source}) on ${profile}: ${counts}`, '', ...lines].join('\n');
}

const columns: readonly Column<Value>[] = [
  { head: 'field', cell: ({ field }) => field },
  { head: 'value', cell: ({ value }) => valueText(value) },
  { head: 'from', cell: ({ from }) => (from === 'set' ? '--set' : from), paint: paintOrigin },
];

export function valuesText(values: readonly Value[]): string {
  return columnsText(columns, values);
}

function valueText(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}

function paintOrigin(text: string, { from }: Value): string {
  return from === 'default' ? coloured('quiet', text) : from === 'set' ? coloured('waiting', text) : text;
}
