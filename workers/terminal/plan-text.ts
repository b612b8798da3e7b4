/** A plan as a person reads it on a terminal: per phase what would happen and why, then each value with where it came from. */
import type { Plan } from '../../workflows/contract-questions.ts';
import { coloured } from './colour.ts';
import { columnsText, type Column } from './columns.ts';

type Value = Plan['values'][number];

export function planText({ recipe, source, profile, phases }: Plan): string {
  const reused = phases.filter(({ plan }) => plan.would === 'reuse').length;
  const width = Math.max(...phases.map(({ phase }) => phase.length));
  const asked = Math.max(...phases.map(({ asks }) => asksText(asks).length));
  const lines = phases.map(({ phase, plan, asks, sentence }) => {
    const mark = plan.would === 'reuse' ? coloured('good', 'reuse') : coloured('head', 'run  ');
    const job = asked === 0 ? '' : `${asksText(asks).padEnd(asked)} for training  `;
    return `  ${phase.padEnd(width)}  ${mark}  ${job}${sentence}`;
  });
  const counts = `${String(phases.length - reused)} to run, ${String(reused)} to reuse${mostText(phases)}`;
  return [`${recipe} (${source}) on ${profile}: ${counts}`, '', ...lines].join('\n');
}

type Asks = Plan['phases'][number]['asks'];

/** `8 GPUs`, `4 pods × 8 GPUs`, `1 trainer + 3 worker + 4 engine × 8 GPUs`. */
function asksText(asks: Asks): string {
  if (asks === null) return '';
  const { pods, gpus } = asks;
  const each = gpus === 0 ? 'no GPU' : `${String(gpus)} GPU${gpus === 1 ? '' : 's'}`;
  const roles = Object.entries(pods);
  if (roles.length > 1) return `${roles.map(([role, count]) => `${String(count)} ${role}`).join(' + ')} × ${each}`;
  const count = podCount(pods);
  return count === 1 ? each : `${String(count)} pods × ${each}`;
}

/** Of the phase that would run and takes the most. */
function mostText(phases: Plan['phases']): string {
  const gpus = phases.map(({ plan, asks }) =>
    asks === null || plan.would === 'reuse' ? 0 : podCount(asks.pods) * asks.gpus,
  );
  const most = Math.max(0, ...gpus);
  return most === 0 ? '' : `; at most ${String(most)} GPU${most === 1 ? '' : 's'} train at once`;
}

const podCount = (pods: Readonly<Record<string, number>>): number =>
  Object.values(pods).reduce((sum, count) => sum + count, 0);

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
