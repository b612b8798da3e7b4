/**
 * Results of Hugging Face's lighteval: `results_<date>.json`, with what it keeps of each problem where it was run with `--save-details`.
 *
 * Covers each task's outcomes, else its mean with its standard error. Averages over tasks are left out: they have no problems of their own.
 */
import { basename } from 'node:path';
import { z } from 'zod';
import type { ImportedResult } from '../../configs/schema-import.ts';
import { canonicalJson } from '../../decisions/identity.ts';
import { checked } from './checked.ts';
import { chosenMetrics, chosenTasks, type Metric, mustHaveProblems, type Wish } from './chosen.ts';
import { isObject, type JsonObject, readDocument, refused } from './json-files.ts';
import { detailsOf, readDetails, resultsOfDetails } from './lighteval-details.ts';
import { meanOf, mustAgree } from './outcome-list.ts';

const resultsFile = z.looseObject({
  config_general: z.looseObject({}),
  results: z.record(z.string(), z.record(z.string(), z.unknown())),
  versions: z.record(z.string(), z.unknown()).optional(),
  config_tasks: z.record(z.string(), z.looseObject({})),
});
type Results = z.output<typeof resultsFile>;

export const isLighteval = (value: JsonObject): boolean => 'config_general' in value || 'config_tasks' in value;

export async function readLighteval(path: string, wish: Wish): Promise<readonly ImportedResult[]> {
  if (!path.endsWith('.parquet')) return await readResults(path, wish, null);
  const { results, task } = await resultsOfDetails(path);
  if (wish.task !== undefined && wish.task !== task)
    throw refused(path, `has details of task "${task}", and --task says "${wish.task}"`);
  return await readResults(results, { ...wish, task }, path);
}

/** `details`: the file that is named in their place. */
async function readResults(path: string, wish: Wish, details: string | null): Promise<readonly ImportedResult[]> {
  const document = await readDocument(path);
  if (document === null)
    throw refused(path, 'is a document a line, and lighteval writes its results as one: name results_<date>.json');
  const results = checked(path, resultsFile, document.value);
  // `all`, and `mmlu:_average|5`, are averages over tasks.
  const keys = Map.groupBy(Object.keys(results.results), (key) => key === 'all' || key.includes('_average'));
  const tasks = chosenTasks(path, keys.get(false) ?? [], { wish, averages: keys.get(true) ?? [] });
  mustHaveProblems(path, new Map(tasks.map((key) => [key, problemsOf(configOf(results, key))])), wish);
  const told = new Map(tasks.map((key) => [key, metricsOf(results.results[key] ?? {}, configOf(results, key))]));
  const read: ImportedResult[] = [];
  for (const [key, metric] of chosenMetrics(path, told, wish))
    read.push(await readTask({ path, digest: document.digest, results, key, metric, wish, details }));
  return read;
}

interface Task {
  readonly path: string;
  readonly digest: string;
  readonly results: Results;
  /** Such as `gsm8k|5`. */
  readonly key: string;
  readonly metric: { readonly name: string; readonly value: number };
  readonly wish: Wish;
  readonly details: string | null;
}

async function readTask({ path, digest, results, key, metric, wish, ...named }: Task): Promise<ImportedResult> {
  const own = results.results[key] ?? {};
  const config = configOf(results, key);
  const problems = problemsOf(config) ?? wish.problems;
  const result = {
    tool: 'lighteval' as const,
    task: partsOf(key).task,
    metric: metric.name,
    settings: settingsOf(results, key),
    run: { digest, parts: 1 },
  };
  const file = named.details ?? (await detailsOf(path, key));
  const details = file === null ? null : await readDetails(file, { metric: metric.name, problems });
  if (details !== null) {
    mustAgree(details.path, meanOf(details.found), { path, says: metric.value });
    return { ...result, source: basename(details.path), digest: details.digest, found: details.found };
  }
  if (problems === undefined)
    throw refused(
      path,
      `does not say how many problems "${key}" has (config_tasks.${key}.effective_num_docs): say --problems`,
    );
  const error = own[`${metric.name}_stderr`];
  const standardError = typeof error === 'number' && error >= 0 && error <= 1 ? { standardError: error } : {};
  const found = { kind: 'mean' as const, score: metric.value, problems, runs: 1, ...standardError };
  return { ...result, source: basename(path), digest, found };
}

/** What makes the score what it is, beside the problems. */
function settingsOf(results: Results, key: string): ImportedResult['settings'] {
  const config = configOf(results, key);
  const { fewShots } = partsOf(key);
  const version = results.versions?.[key] ?? config['version'];
  const tokens = config['generation_size'];
  return {
    ...(fewShots !== null && { fewShots }),
    ...((typeof version === 'number' || typeof version === 'string') && { taskVersion: version }),
    ...(typeof tokens === 'number' && { generationSize: tokens }),
    ...generationOf(results.config_general),
  };
}

/** `lighteval|gsm8k|5`, and `gsm8k|5` in newer files: suite, task and examples. */
function partsOf(key: string): { readonly task: string; readonly fewShots: number | null } {
  const parts = key.split('|');
  const [task = key, shots] = parts.length === 3 ? parts.slice(1) : parts;
  return { task, fewShots: shots !== undefined && /^\d+$/.test(shots) ? Number(shots) : null };
}

/** Older files have `lighteval|gsm8k` here for `lighteval|gsm8k|5`. */
function configOf({ config_tasks: configs }: Results, key: string): JsonObject {
  return configs[key] ?? configs[key.replace(/\|\d+$/, '')] ?? {};
}

/** What of it is set, such as the temperature; in older files it stands beside the model. */
function generationOf({ model_config: model, generation_parameters: beside }: JsonObject): { generation?: string } {
  const parameters =
    isObject(model) && isObject(model['generation_parameters']) ? model['generation_parameters'] : beside;
  if (!isObject(parameters)) return {};
  const set = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
  return { generation: canonicalJson(set) };
}

/** It writes −1 where it was not counted. */
function problemsOf(config: JsonObject): number | undefined {
  const effective = config['effective_num_docs'];
  return typeof effective === 'number' && effective > 0 ? effective : undefined;
}

function metricsOf(own: JsonObject, config: JsonObject): readonly Metric[] {
  const told = config['metrics'] ?? config['metric'];
  const lower = (Array.isArray(told) ? told : []).filter((one) => isObject(one) && one['higher_is_better'] === false);
  const lowerNames = lower.map((one: JsonObject) => one['metric_name']);
  return Object.entries(own)
    .filter(([name, value]) => !name.endsWith('_stderr') && (typeof value === 'number' || value === null))
    .map(([name, value]) => ({
      name,
      value: typeof value === 'number' ? value : null,
      higherIsBetter: !lowerNames.includes(name),
    }));
}
