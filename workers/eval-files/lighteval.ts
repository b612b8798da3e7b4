/**
 * Results of Hugging Face's lighteval: `results_<date>.json`.
 *
 * Covers each task's mean with its standard error. Does not cover details per problem, which it keeps as Parquet, nor averages over tasks.
 */
import { basename } from 'node:path';
import { z } from 'zod';
import type { ImportedResult } from '../../configs/schema-import.ts';
import { canonicalJson } from '../../decisions/identity.ts';
import { checked } from './checked.ts';
import { chosenMetrics, chosenTasks, type Metric, mustHaveProblems, type Wish } from './chosen.ts';
import { isObject, type JsonObject, readDocument, refused } from './json-files.ts';

const resultsFile = z.looseObject({
  config_general: z.looseObject({}),
  results: z.record(z.string(), z.record(z.string(), z.unknown())),
  versions: z.record(z.string(), z.unknown()).optional(),
  config_tasks: z.record(z.string(), z.looseObject({})),
});
type Results = z.output<typeof resultsFile>;

export const isLighteval = (value: JsonObject): boolean => 'config_general' in value || 'config_tasks' in value;

export async function readLighteval(path: string, wish: Wish): Promise<readonly ImportedResult[]> {
  const document = await readDocument(path);
  if (document === null)
    throw refused(path, 'is a document a line, and lighteval writes its results as one: name results_<date>.json');
  const results = checked(path, resultsFile, document.value);
  // `all`, and `mmlu:_average|5`, are averages over tasks.
  const keys = Map.groupBy(Object.keys(results.results), (key) => key === 'all' || key.includes('_average'));
  const tasks = chosenTasks(path, keys.get(false) ?? [], { wish, averages: keys.get(true) ?? [] });
  mustHaveProblems(path, new Map(tasks.map((key) => [key, problemsOf(configOf(results, key))])), wish);
  const told = new Map(tasks.map((key) => [key, metricsOf(results.results[key] ?? {}, configOf(results, key))]));
  return [...chosenMetrics(path, told, wish)].map(([key, { name, value }]) =>
    resultOf(path, { key, metric: name, score: value }, { results, wish, digest: document.digest }),
  );
}

function resultOf(
  path: string,
  { key, metric, score }: { readonly key: string; readonly metric: string; readonly score: number },
  { results, wish, digest }: { results: Results; wish: Wish; digest: string },
): ImportedResult {
  const own = results.results[key] ?? {};
  const config = configOf(results, key);
  const problems = problemsOf(config) ?? wish.problems;
  if (problems === undefined)
    throw refused(
      path,
      `does not say how many problems "${key}" has (config_tasks.${key}.effective_num_docs): say --problems`,
    );
  const error = own[`${metric}_stderr`];
  const standardError = typeof error === 'number' && error >= 0 && error <= 1 ? { standardError: error } : {};
  const { task, fewShots } = partsOf(key);
  const version = results.versions?.[key] ?? config['version'];
  const tokens = config['generation_size'];
  return {
    tool: 'lighteval',
    task,
    metric,
    settings: {
      ...(fewShots !== null && { fewShots }),
      ...((typeof version === 'number' || typeof version === 'string') && { taskVersion: version }),
      ...(typeof tokens === 'number' && { generationSize: tokens }),
      ...generationOf(results.config_general),
    },
    source: basename(path),
    digest,
    run: { digest, parts: 1 },
    found: { kind: 'mean', score, problems, runs: 1, ...standardError },
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
