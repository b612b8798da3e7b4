/** Changes single fields of a document that has not been parsed yet: what `set` and `--set` do. */
import { TemperError } from '../decisions/errors.ts';
import { nearestName } from './nearest-name.ts';

type Document = Record<string, unknown>;

/**
 * A copy of `document` with each field of `set` replaced. A phase is addressed by its name: `phases.sft.params.steps`.
 * Fields that the schema does not know are refused later, by the schema; a phase that does not exist is refused here.
 */
export function withFieldsSet(document: Document, set: Readonly<Record<string, unknown>>): Document {
  const changed = JSON.parse(JSON.stringify(document)) as Document;
  for (const [path, value] of Object.entries(set)) setField(changed, path, value);
  return changed;
}

function setField(document: Document, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop();
  if (last === undefined || last === '' || keys.includes(''))
    throw new TemperError('invalid-input', `set: "${path}" is no path such as phases.sft.params.steps`);
  let at: Document = document;
  keys.forEach((key, index) => {
    const below: unknown = Array.isArray(at) ? namedIn(at, key, path) : at[key];
    if (below === undefined || below === null) at = at[key] = {} as Document;
    else if (typeof below === 'object') at = below as Document;
    else
      throw new TemperError(
        'invalid-input',
        `set: "${keys.slice(0, index + 1).join('.')}" of "${path}" is not a group of fields`,
      );
  });
  at[last] = value;
}

function namedIn(list: readonly unknown[], name: string, path: string): unknown {
  const names = list.map((item) => String((item as Document | null)?.['name']));
  const index = names.indexOf(name);
  if (index >= 0) return list[index];
  const near = nearestName(name, names);
  throw new TemperError(
    'invalid-input',
    `set: "${path}": nothing is named "${name}"${near === null ? '' : `; did you mean "${near}"?`} There are: ${names.join(', ')}`,
  );
}
