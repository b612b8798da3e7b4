/** Changes single fields of a document that has not been parsed yet: what `set` and `--set` do. */
import { TemperError } from '../decisions/errors.ts';
import { nearestName } from './nearest-name.ts';

type Document = Record<string, unknown>;

/**
 * A copy of `document` with each field of `set` replaced. What a list holds is addressed by its name (`phases.sft.params.steps`), or
 * by its place from 0 where it has none (`phases.sft.gate.0.rank.by`). Fields that the schema does not know are refused later, by the
 * schema; what a list does not hold is refused here.
 */
export function withFieldsSet(document: Document, set: Readonly<Record<string, unknown>>): Document {
  const changed = structuredClone(document);
  // A later field may lie below an earlier one: what was given stays as it was.
  for (const [path, value] of Object.entries(set)) setField(changed, path, structuredClone(value));
  return changed;
}

function setField(document: Document, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop();
  // To JavaScript, `__proto__` is no field of its own: setting it would change every object of the process.
  if (last === undefined || [last, ...keys].some((key) => key === '' || key === '__proto__'))
    throw new TemperError('invalid-input', `set: "${path}" is no path such as phases.sft.params.steps`);
  let at: Document | unknown[] = document;
  for (const [index, key] of keys.entries()) {
    const below: unknown = Array.isArray(at) ? at[placeIn(at, key, path)] : Object.hasOwn(at, key) ? at[key] : null;
    if (typeof below === 'object' && below !== null) at = below as Document | unknown[];
    else if (below !== null || Array.isArray(at)) {
      throw new TemperError(
        'invalid-input',
        `set: "${keys.slice(0, index + 1).join('.')}" of "${path}" is not a group of fields`,
      );
    } else at = at[key] = {} as Document;
  }
  if (Array.isArray(at)) at[placeIn(at, last, path)] = value;
  else at[last] = value;
}

/** Which item of the list a key means: the one of this name, or of this number. */
function placeIn(list: readonly unknown[], key: string, path: string): number {
  const names = list.map((item, place) => nameOf(item) ?? String(place));
  const place = names.indexOf(key);
  if (place >= 0) return place;
  if (/^\d+$/.test(key) && Number(key) < list.length) return Number(key);
  const near = nearestName(key, names);
  throw new TemperError(
    'invalid-input',
    `set: "${path}": nothing is named "${key}"${near === null ? '; there' : `; did you mean "${near}"? There`} are: ${names.join(', ') || 'none'}`,
  );
}

function nameOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return null;
  const { name } = item as Document;
  return typeof name === 'string' ? name : null;
}
