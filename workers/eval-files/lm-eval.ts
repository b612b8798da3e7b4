/**
 * Results of EleutherAI's lm-evaluation-harness: `results_<date>.json`, with `samples_<task>_<date>.jsonl` beside it where it was run with
 * `--log_samples`.
 *
 * Covers each task's own result. Averages over a group of tasks are left out: they have no problems of their own.
 */
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { ImportedResult } from '../../configs/schema-import.ts';
import { chosenMetrics, chosenTasks, type Metric, mustHaveProblems, type Wish } from './chosen.ts';
import { isFile, isObject, type JsonObject, readDocument, readLines, refused } from './json-files.ts';
import { meanOf, mustAgree, outcomeList, rightOf } from './outcome-list.ts';
import { checked } from './checked.ts';

const resultsFile = z.looseObject({
  results: z.record(z.string(), z.record(z.string(), z.unknown())),
  groups: z.record(z.string(), z.unknown()).optional(),
  group_subtasks: z.record(z.string(), z.array(z.string())).optional(),
  configs: z.record(z.string(), z.looseObject({})).optional(),
  versions: z.record(z.string(), z.unknown()).optional(),
  'n-shot': z.record(z.string(), z.unknown()).optional(),
  'n-samples': z.record(z.string(), z.looseObject({ effective: z.int().min(1) })).optional(),
  higher_is_better: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  system_instruction_sha: z.string().nullish(),
  chat_template_sha: z.string().nullish(),
  fewshot_as_multiturn: z.boolean().nullish(),
});
type Results = z.output<typeof resultsFile>;

const sampleLine = z.looseObject({
  doc_id: z.int().min(0),
  doc_hash: z.string().optional(),
  filter: z.string().optional(),
});

/** Of what only this harness writes. */
export function isLmEval(value: JsonObject): boolean {
  const own = ['n-samples', 'n-shot', 'group_subtasks', 'lm_eval_version', 'higher_is_better'];
  return own.some((field) => field in value) || ('results' in value && 'configs' in value);
}

export const isLmEvalSample = (value: JsonObject): boolean =>
  'doc_id' in value && ('resps' in value || 'filtered_resps' in value);

const dateOf = /_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl?$/;

/** Of the results that lie beside a file of samples. Throws with what has to lie there. */
export async function readLmEvalSamples(path: string, wish: Wish): Promise<readonly ImportedResult[]> {
  const date = dateOf.exec(path)?.[1];
  const task =
    date === undefined ? undefined : /^samples_(.*)_$/.exec(basename(path).slice(0, -`${date}.jsonl`.length))?.[1];
  const results = date === undefined ? undefined : join(dirname(path), `results_${date}.json`);
  if (task === undefined || results === undefined || !(await isFile(results)))
    throw refused(
      path,
      `has samples of lm-eval, and how many there are to be stands in its results: put ${basename(results ?? 'results_<date>.json')} beside it`,
    );
  return await readLmEval(results, { ...wish, task: wish.task ?? task });
}

export async function readLmEval(path: string, wish: Wish): Promise<readonly ImportedResult[]> {
  const document = await readDocument(path);
  if (document === null) return await readLmEvalSamples(path, wish);
  const results = checked(path, resultsFile, document.value);
  const groups = new Set([
    ...Object.keys(results.groups ?? {}),
    ...Object.entries(results.group_subtasks ?? {}).flatMap(([group, tasks]) => (tasks.length > 0 ? [group] : [])),
  ]);
  const tasks = Object.keys(results.results).filter((task) => !groups.has(task));
  const chosen = chosenTasks(path, tasks, { wish, averages: [...groups] });
  mustHaveProblems(path, new Map(chosen.map((task) => [task, results['n-samples']?.[task]?.effective])), wish);
  const told = new Map(
    chosen.map((task) => [task, metricsOf(results.results[task] ?? {}, results.higher_is_better?.[task] ?? {})]),
  );
  const read: ImportedResult[] = [];
  for (const [task, metric] of chosenMetrics(path, told, wish))
    read.push(await readTask({ path, digest: document.digest, results, task, metric, wish }));
  return read;
}

interface Task {
  readonly path: string;
  readonly digest: string;
  readonly results: Results;
  readonly task: string;
  readonly metric: { readonly name: string; readonly value: number };
  readonly wish: Wish;
}

async function readTask(of: Task): Promise<ImportedResult> {
  const { path, results, task, metric, wish } = of;
  const problems = results['n-samples']?.[task]?.effective ?? wish.problems;
  const result = {
    tool: 'lm-eval' as const,
    ...{ task, metric: metric.name, settings: settingsOf(results, task) },
    run: { digest: of.digest, parts: 1 },
  };
  const samples = await readSamples(of, problems);
  if (samples !== null) {
    mustAgree(samples.path, meanOf(samples.found), { path, says: metric.value });
    return { ...result, source: basename(samples.path), digest: samples.digest, found: samples.found };
  }
  if (problems === undefined)
    throw refused(path, `does not say how many problems task "${task}" has ("n-samples"): say --problems`);
  const error = standardErrorOf(results.results[task] ?? {}, metric.name);
  const found = {
    kind: 'mean' as const,
    score: metric.value,
    problems,
    runs: 1,
    ...(error !== null && { standardError: error }),
  };
  return { ...result, source: basename(path), digest: of.digest, found };
}

/** Null where there are none, or where they are not plainly right or wrong. */
async function readSamples({ path, task, metric: { name: metric } }: Task, problems: number | undefined) {
  const date = dateOf.exec(path)?.[1];
  if (date === undefined) return null;
  const file = join(dirname(path), `samples_${task}_${date}.jsonl`);
  if (!(await isFile(file))) return null;
  const [field = metric, filter] = metric.split(',');
  const outcomes = outcomeList();
  const notPlain: string[] = [];
  const digest = await readLines(file, ({ value, where }) => {
    const sample = checked(where, sampleLine, value);
    if (filter !== undefined && sample.filter !== undefined && sample.filter !== filter) return;
    if (!(field in sample)) throw refused(where, `${field}: is missing`);
    const isRight = rightOf(sample[field]);
    if (isRight === null) notPlain.push(where);
    // Another edition of the data has other hashes: its problems are others.
    const problem = [String(sample.doc_id), sample.doc_hash?.slice(0, 8) ?? []].flat().join('-');
    outcomes.add({ problem, isRight: isRight === true, tokens: null, seconds: null }, where);
  });
  const found = outcomes.end(file, problems);
  return notPlain.length === 0 ? { path: file, digest, found } : null;
}

/** `exact_match,strict-match`: the metric and the filter of answers; older files have no filter. */
function metricsOf(own: JsonObject, higher: JsonObject): readonly Metric[] {
  const keys = Object.keys(own);
  const isFiltered = keys.some((key) => key.includes(','));
  return keys
    .filter((key) => key !== 'alias' && !/_stderr(,|$)/.test(key) && (!isFiltered || key.includes(',')))
    .filter((key) => typeof own[key] === 'number' || own[key] === null)
    .map((key) => ({
      name: key,
      value: typeof own[key] === 'number' ? own[key] : null,
      higherIsBetter: higher[key.split(',')[0] ?? key] !== false,
    }));
}

function standardErrorOf(own: JsonObject, metric: string): number | null {
  const [name = metric, ...filter] = metric.split(',');
  const error = own[[`${name}_stderr`, ...filter].join(',')];
  return typeof error === 'number' && error >= 0 && error <= 1 ? error : null;
}

/** What makes the score what it is, beside the problems. */
function settingsOf(results: Results, task: string): ImportedResult['settings'] {
  const generation = results.configs?.[task]?.['generation_kwargs'];
  const known = {
    taskVersion: results.versions?.[task],
    fewShots: results['n-shot']?.[task],
    generation: isObject(generation) ? JSON.stringify(generation) : undefined,
    systemInstruction: results.system_instruction_sha,
    chatTemplate: results.chat_template_sha,
    fewShotsAsTurns: results.fewshot_as_multiturn?.toString(),
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [],
    ),
  );
}
