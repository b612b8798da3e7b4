/**
 * What lighteval keeps of each problem where it was run with `--save-details`: `details_<task>_<date>.parquet`.
 *
 * It lies in a folder of its own, or beside `results_<date>.json` where a person put it. Does not cover the results (lighteval.ts).
 */
import { createHash } from 'node:crypto';
import { basename, dirname, join, sep } from 'node:path';
import { z } from 'zod';
import type { ImportedOutcomes } from '../../configs/schema-import.ts';
import { checked } from './checked.ts';
import { isFile, refused, requireFile } from './json-files.ts';
import { outcomeList, rightOf } from './outcome-list.ts';
import { readParquetRows } from './parquet-rows.ts';

const dateText = String.raw`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?`;
const resultsName = new RegExp(`^results_(${dateText})\\.json$`);
const detailsName = new RegExp(`^details_(.+)_(${dateText})\\.parquet$`);

/** As `DetailsLogger.Detail` of 0.13 is saved. Older versions have other columns. */
const columns = ['doc', 'metric', 'model_response'];
const row = z.looseObject({
  doc: z.looseObject({ id: z.string(), query: z.string() }),
  metric: z.record(z.string(), z.unknown()),
  model_response: z.looseObject({ output_tokens: z.array(z.array(z.unknown())).nullish() }),
});

export interface Details {
  readonly path: string;
  readonly digest: string;
  readonly found: ImportedOutcomes;
}

/** The results and the task of a file of details. Throws `not-found`, and `invalid-input` with where the results have to lie. */
export async function resultsOfDetails(path: string): Promise<{ readonly results: string; readonly task: string }> {
  await requireFile(path);
  const [, task, date] = detailsName.exec(basename(path)) ?? [];
  if (task === undefined || date === undefined)
    throw refused(path, `is not called as lighteval calls its details, details_<task>_<date>.parquet`);
  const name = `results_${date}.json`;
  const folder = dirname(path);
  const byItself = basename(folder) === date ? swapped(dirname(folder), { from: 'details', to: 'results' }) : null;
  for (const candidate of [folder, ...(byItself === null ? [] : [byItself])])
    if (await isFile(join(candidate, name))) return { results: join(candidate, name), task };
  const why = `has details of lighteval, and what they are scores of stands in its results: leave it where lighteval put it, or put ${name} beside it`;
  throw refused(path, why);
}

/** Null where their columns are of an older version, or where they are not plainly right or wrong by the metric. */
export async function readDetails(
  path: string,
  { metric, problems }: { readonly metric: string; readonly problems: number | undefined },
): Promise<Details | null> {
  const outcomes = outcomeList();
  const notPlain: string[] = [];
  const digest = await readParquetRows(path, columns, ({ value, where }) => {
    const { doc, metric: scores, model_response: answer } = checked(where, row, value);
    const score = scores[metric];
    const isRight = rightOf(typeof score === 'bigint' ? Number(score) : score); // Parquet's whole numbers
    if (isRight === null) notPlain.push(where);
    // Another edition of the data asks otherwise: its problems are others.
    const asked = createHash('sha256').update(doc.query).digest('hex').slice(0, 8);
    const [tokens, ...others] = answer.output_tokens ?? [];
    outcomes.add(
      {
        problem: `${doc.id}-${asked}`,
        isRight: isRight === true,
        tokens: others.length === 0 && tokens !== undefined ? tokens.length : null,
        seconds: null,
      },
      where,
    );
  });
  if (digest === null) return null;
  const found = outcomes.end(path, problems);
  return notPlain.length === 0 ? { path, digest, found } : null;
}

/** Of a task of these results, where lighteval put them or beside the results; null where there are none. */
export async function detailsOf(results: string, task: string): Promise<string | null> {
  const date = resultsName.exec(basename(results))?.[1];
  if (date === undefined) return null;
  const name = `details_${task}_${date}.parquet`;
  const byItself = swapped(dirname(results), { from: 'results', to: 'details' });
  for (const folder of [dirname(results), ...(byItself === null ? [] : [join(byItself, date)])])
    if (await isFile(join(folder, name))) return join(folder, name);
  return null;
}

/** `out/results/org/model` and `out/details/org/model`: the last folder of that name; null where there is none. */
function swapped(folder: string, { from, to }: { readonly from: string; readonly to: string }): string | null {
  const parts = folder.split(sep);
  const at = parts.lastIndexOf(from);
  return at === -1 ? null : parts.with(at, to).join(sep);
}
