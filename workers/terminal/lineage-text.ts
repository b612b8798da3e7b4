/** What `temper lineage` prints: the checkpoint first, then what each was made from, back to the base. */
import { sentenceOfPruned } from '../../decisions/prune-sentences.ts';
import type { Lineage, LineageStep } from '../../workflows/contract-questions.ts';
import { coloured } from './colour.ts';
import { printable } from './printable.ts';

type Known = NonNullable<LineageStep['known']>;

export function lineageText({ steps, omitted }: Lineage): string {
  const blocks = steps.map((step, index) => blockOf(step, index === 0 ? '' : 'from '));
  const more = omitted > 0 ? [`… and ${String(omitted)} more before`] : [];
  return [...blocks, ...more].join('\n\n');
}

function blockOf({ checkpoint, known }: LineageStep, before: string): string {
  if (known === null)
    return `${before}${coloured('head', printable(checkpoint))}\n  not in this ledger: what it was made from is not known`;
  const { pipeline, recipe, phase, kind, lies } = known;
  const of = recipe === null ? '' : ` (recipe ${recipe})`;
  const what = kind === null || kind === phase ? phase : `${phase} (${kind})`;
  const lines = [
    printable(`${what} of ${pipeline}${of}: ${stepsText(known)}`),
    ...(lies === 'sealed' || lies === 'complete' ? [] : [coloured('bad', printable(whereText(known)))]),
    ...madeWith(known).map(printable),
  ];
  return [
    `${before}${coloured('head', printable(checkpoint))} (${known.format}, ${lies})`,
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

function madeWith(known: Known): string[] {
  return [
    ...(known.reusedBy === null ? [] : [`reused by ${known.reusedBy.pipeline} as its phase ${known.reusedBy.phase}`]),
    ...known.data.map(
      ({ what: data, digest }) => `data: ${data}${digest === null ? '' : ` (sha256 ${digest.slice(0, 12)})`}`,
    ),
    ...(known.fields.length === 0 ? [] : [`recipe: ${known.fields.map(fieldText).join(', ')}`]),
    ...(known.verdict === null || known.verdict === '' ? [] : [`verdict: ${known.verdict}`]),
  ];
}

function stepsText({ parts, step }: Known): string {
  if (parts.length === 0) return `step ${String(step)}`;
  const each = parts.map(({ attempt, from, to }) => `${String(from)}–${String(to)} in attempt ${String(attempt)}`);
  return `steps ${each.join(', ')}`;
}

function whereText({ lies, path, prunedAt, prunedWhy = null }: Known): string {
  switch (lies) {
    case 'pruned':
      return `it ${sentenceOfPruned({ at: prunedAt ?? '', why: prunedWhy })}`;
    case 'gone':
      return `its files are gone (${path}), and no pruning took them`;
    case 'damaged':
      return `its files are not what was recorded (${path})`;
    default:
      return `it lies in another store (${path})`;
  }
}

function fieldText({ field, value }: Known['fields'][number]): string {
  return `${field.replace(/^params\./, '')} ${Array.isArray(value) ? JSON.stringify(value) : String(value)}`;
}
