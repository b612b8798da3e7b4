/** Schedules of sweeps as text: what applying a file did, and the list. */
import { linesOfMerge } from '../../decisions/schedule-merge.ts';
import { minuteOf } from '../../decisions/utc-minute.ts';
import type { Applied, ListedSchedule } from '../schedules.ts';
import { columnsText } from './columns.ts';
import { printable } from './printable.ts';

export function appliedText(name: string, applied: Applied, dryRun: boolean): string {
  const would = dryRun ? 'would be ' : '';
  if (applied.kind === 'created') {
    const lines = Object.entries(applied.fields).map(([field, value]) => `  + ${field}: ${JSON.stringify(value)}`);
    return [`schedule ${name} ${would || 'is '}created`, ...lines].join('\n');
  }
  const what = applied.kind === 'unchanged' ? 'is as the file says' : `${would || 'is '}changed`;
  const kept = applied.kind === 'unchanged' && applied.merge.kept.length > 0 ? ', but for what was edited since' : '';
  const { merge, running } = applied;
  const runs =
    merge.changes.length > 0 && running !== null
      ? [`  ${running}, which runs, ends as it began; the next sweep ${would || 'is '}by the file`]
      : [];
  return [`schedule ${name} ${what}${kept}`, ...linesOfMerge(merge), ...runs].join('\n');
}

export function schedulesText(schedules: readonly ListedSchedule[]): string {
  if (schedules.length === 0)
    return 'There is no schedule of sweeps: temper schedule apply -f configs/schedules/nightly-eval.yaml makes one.';
  const pauses = schedules.filter(({ paused, note }) => paused && note !== '');
  return [tableOf(schedules), ...pauses.map(({ id, note }) => `${id} is paused: ${printable(note)}`)].join('\n');
}

function tableOf(schedules: readonly ListedSchedule[]): string {
  return columnsText<ListedSchedule>(
    [
      { head: 'schedule', cell: ({ id }) => id },
      { head: 'at', cell: atText },
      {
        head: 'next (UTC)',
        cell: ({ paused, next }) => (paused ? 'paused' : next === null ? 'never' : minuteOf(next)),
      },
      { head: 'runs', cell: ({ running }) => running ?? '', spare: 2 },
      { head: 'last', cell: ({ last }) => last ?? '', spare: 1 },
      { head: 'started', align: 'right', cell: ({ taken }) => String(taken) },
      { head: 'skipped', align: 'right', cell: ({ skipped }) => String(skipped.overlap + skipped.missed) },
    ],
    schedules,
  );
}

function atText({ fields: { at, timeZone } }: ListedSchedule): string {
  return `${Array.isArray(at) ? at.join(', ') : 'times of the UI'} ${String(timeZone)}`;
}
