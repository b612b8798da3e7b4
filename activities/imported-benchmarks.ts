/**
 * What a result of another harness is kept under: a name by harness and task, and a version for each thing that this name stood for.
 *
 * A harness knows nothing of versions here, so that nobody can be asked to raise one: what differs gets the next. Does not cover recording
 * (imports.ts).
 */
import { createHash } from 'node:crypto';
import type { ImportedResult } from '../configs/schema-import.ts';
import { isOutsideDefinition } from '../decisions/benchmark-definition.ts';
import { canonicalJson, differingFields } from '../decisions/identity.ts';
import type { Ledger } from '../store/ledger/ledger.ts';

export interface ImportedBenchmark {
  readonly name: string;
  readonly version: number;
  /** In words, what it is and was not in the version before; empty of the first. */
  readonly differs: string;
}

/** As a recipe's names are. */
const longestName = 40;

/** `gsm8k` of lm-eval is `lm-eval-gsm8k`: what jobs of Temper evaluate has other graders and prompts. */
function nameOf({ tool, task }: Pick<ImportedResult, 'tool' | 'task'>): string {
  const name = `${tool}-${task}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-+$/, '');
  if (name.length <= longestName) return name;
  return `${name.slice(0, longestName - 7).replace(/-+$/, '')}-${digestOf([task]).slice(0, 6)}`;
}

/** Means have no data to be told apart by, and are scores from outside. */
function definitionOf({ tool, task, metric, settings, found }: ImportedResult): string {
  const imported = { tool, task, metric, ...settings };
  if (found.kind === 'mean') return canonicalJson({ outside: true, problems: found.problems, imported });
  return canonicalJson({ problems: found.problems.length, data: digestOf(found.problems.toSorted()), imported });
}

const digestOf = (names: readonly string[]): string => createHash('sha256').update(JSON.stringify(names)).digest('hex');

/** The version that means this; the next one where none does. */
export async function claimImported(ledger: Ledger, result: ImportedResult, at: string): Promise<ImportedBenchmark> {
  const name = nameOf(result);
  const definition = definitionOf(result);
  for (;;) {
    const kept = await ledger.definitionsOf(name);
    const newest = kept[0]?.version ?? 0;
    const same = kept.find((one) => one.definition === definition)?.version;
    const version = same ?? newest + 1;
    if (same !== undefined || (await ledger.claimBenchmark({ name, version, definition, at })) === definition) {
      const before = kept.find((one) => one.version === version - 1);
      return { name, version, differs: before === undefined ? '' : differenceOf(before.definition, definition) };
    }
    // Somebody claimed this number for something else meanwhile.
  }
}

function differenceOf(before: string, after: string): string {
  const [was, is] = [before, after].map((one) => (isOutsideDefinition(one) ? 'a mean alone' : 'outcomes per problem'));
  const others = differingFields(before, after).filter(({ path }) => was === is || path.startsWith('imported.'));
  const fields = others.map(({ path, before: old, after: own }) => {
    const field = path.replace(/^imported\./, '');
    if (field === 'data') return 'the problems are others';
    const text = (value: unknown) => (value === undefined ? 'not known' : JSON.stringify(value));
    return `${field} is ${text(own)} and was ${text(old)}`;
  });
  return [...(was === is ? [] : [`it is ${String(is)} and was ${String(was)}`]), ...fields].join(', ');
}
