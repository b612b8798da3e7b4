/**
 * Results of Hugging Face's lighteval: `results_<date>.json`.
 *
 * Covers each task's mean with its standard error. Does not cover details per problem, which it keeps as Parquet, nor averages over tasks.
 */
import { basename } from 'node:path';
import { z } from 'zod';
import type { ImportedResult } from '../../configs/schema-import.ts';
import { checked } from './checked.ts';
import { chosenMetric, chosenTasks, type Metric, type Wish } from './chosen.ts';
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
  const tasks = Object.keys(results.results).filter((key) => key !== 'all' && !key.includes('_average'));
  return chosenTasks(path, tasks, wish).map((key) => resultOf(path, key, { results, wish, digest: document.digest }));
}

function resultOf(
  path: string,
  key: string,
  { results, wish, digest }: { results: Results; wish: Wish; digest: string },
): ImportedResult {
  const own = results.results[key] ?? {};
  const config = results.config_tasks[key] ?? {};
  const metric = chosenMetric(path, key, { metrics: metricsOf(own, config), wish });
  const problems = problemsOf(config) ?? wish.problems;
  if (problems === undefined)
    throw refused(
      path,
      `does not say how many problems "${key}" has (config_tasks.${key}.effective_num_docs): say --problems`,
    );
  const error = own[`${metric.name}_stderr`];
  const standardError = typeof error === 'number' && error >= 0 && error <= 1 ? { standardError: error } : {};
  const { task, fewShots } = partsOf(key);
  const version = results.versions?.[key] ?? config['version'];
  const tokens = config['generation_size'];
  return {
    tool: 'lighteval',
    task,
    metric: metric.name,
    settings: {
      ...(fewShots !== null && { fewShots }),
      ...((typeof version === 'number' || typeof version === 'string') && { taskVersion: version }),
      ...(typeof tokens === 'number' && { generationSize: tokens }),
    },
    source: basename(path),
    digest,
    run: { digest, parts: 1 },
    found: { kind: 'mean', score: metric.value, problems, runs: 1, ...standardError },
  };
}

/** `lighteval|gsm8k|5`, and `gsm8k|5` in newer files: suite, task and examples. */
function partsOf(key: string): { readonly task: string; readonly fewShots: number | null } {
  const parts = key.split('|');
  const [task = key, shots] = parts.length === 3 ? parts.slice(1) : parts;
  return { task, fewShots: shots !== undefined && /^\d+$/.test(shots) ? Number(shots) : null };
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
