/**
 * What a phase was trained on and with, read back from its identity: data with digests, and each field of the recipe that made it what it is.
 *
 * Does not cover evaluations and gates, which judge and do not train, or what it started from.
 */
export interface TrainedOn {
  readonly data: readonly { readonly what: string; readonly digest: string | null }[];
  /** By their path in the phase, such as `params.learningRate`; seed and model beside them. */
  readonly fields: readonly { readonly field: string; readonly value: unknown }[];
}

/** `identityText` is what decisions/identity.ts wrote; null where the ledger has no such phase any more. */
export function trainedOn(identityText: string | null): TrainedOn {
  if (identityText === null) return { data: [], fields: [] };
  const { data, files, params, seed, model } = JSON.parse(identityText) as {
    readonly data?: ({ readonly digest: string | null } & Readonly<Record<string, unknown>>) | null;
    readonly files?: Readonly<Record<string, string>>;
    readonly params?: unknown;
    readonly seed?: unknown;
    readonly model?: unknown;
  };
  return {
    data: [...(data ? [dataOf(data)] : []), ...Object.entries(files ?? {}).map(([what, digest]) => ({ what, digest }))],
    fields: leavesOf({ ...(data && { data: restOf(data) }), params, seed, model }, ''),
  };
}

function dataOf({
  digest,
  ...data
}: { readonly digest: string | null } & Readonly<Record<string, unknown>>): TrainedOn['data'][number] {
  const { jsonl, tiny, rows } = data;
  const named = typeof jsonl === 'string' ? jsonl : `tiny ${String(tiny)}`;
  return { what: typeof rows === 'number' ? `${named}, ${String(rows)} rows` : named, digest };
}

/** What `dataOf` does not say. */
function restOf(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(data).filter(([key]) => !['digest', 'jsonl', 'tiny', 'rows'].includes(key)));
}

function leavesOf(value: unknown, path: string): TrainedOn['fields'] {
  if (value === undefined) return [];
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isGroup) return [{ field: path, value }];
  return Object.entries(value).flatMap(([key, below]) => leavesOf(below, path === '' ? key : `${path}.${key}`));
}
