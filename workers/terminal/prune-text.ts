/** What `temper prune` prints: what may go with its size, what stays, and how to go on. */
import { bytesText } from '../../decisions/prune-sentences.ts';
import type { Pruned } from '../../workflows/contract-questions.ts';
import { coloured } from './colour.ts';

export function pruneText({ deleted, freedBytes, go, stay, omitted }: Pruned): string {
  const lines = [
    ...go.map(
      ({ what, bytes, why }) => `${deleted ? 'deleted' : 'may go'}  ${bytesText(bytes).padStart(8)}  ${what}: ${why}`,
    ),
    ...stay.map(({ what, why }) => coloured('quiet', `stays   ${' '.repeat(8)}  ${what}: ${why}`)),
    ...(omitted > 0 ? [`… and ${String(omitted)} more`] : []),
  ];
  return [...lines, ...(lines.length > 0 ? [''] : []), summary(deleted, go.length, freedBytes)].join('\n');
}

function summary(deleted: boolean, count: number, freedBytes: number): string {
  if (count === 0) return 'Nothing may go.';
  const what = `${String(count)} checkpoint${count === 1 ? '' : 's'}, ${bytesText(freedBytes)}`;
  return deleted
    ? `Deleted ${what}.`
    : `${what} may go. Nothing was deleted: --yes deletes ${count === 1 ? 'it' : 'them'}.`;
}
