/**
 * Results of NeMo-Skills: the `metrics.json` of `ns eval` with its means, and `<benchmark>/output.jsonl` or `output-rs<seed>.jsonl` with a line
 * a problem.
 *
 * Covers what is graded right or wrong (`symbolic_correct`, `judgement`, or a field that is named). Does not cover parts of a run that is not
 * put together yet (`*_chunk_*`, `*-async`).
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { ImportedResult } from '../../configs/schema-import.ts';
import { checked } from './checked.ts';
import { chosenMetrics, chosenTasks, type Metric, mustHaveProblems, type Wish } from './chosen.ts';
import { firstLine, isFile, isObject, type JsonObject, readDocument, readLines, refused } from './json-files.ts';
import { meanOf, mustAgree, outcomeList, rightOf } from './outcome-list.ts';

/** By the way it was aggregated: `pass@1`, `pass@1[avg-of-4]`, `majority@4`. */
const metricsFile = z.record(z.string(), z.record(z.string(), z.looseObject({})));
type Metrics = z.output<typeof metricsFile>;
type Aggregate = JsonObject & { readonly runs: number };

const graded = ['symbolic_correct', 'judgement'];
const notScores = [
  'num_entries',
  'num_prompts',
  'num_instructions',
  'avg_tokens',
  'gen_seconds',
  'no_answer',
  'num_benchmarks_in_group',
];

export const isNemoMetrics = (value: JsonObject): boolean =>
  Object.values(value).some(
    (one) => isObject(one) && Object.keys(one).some((mode) => /^(pass|majority)@\d+/.test(mode)),
  );
export const isNemoOutput = (value: JsonObject): boolean =>
  graded.some((field) => field in value) || ('generation' in value && 'expected_answer' in value);

export async function readNemoSkills(path: string, wish: Wish): Promise<readonly ImportedResult[]> {
  const document = await readDocument(path);
  if (document === null) return [await readOutput(path, wish)];
  const metrics = checked(path, metricsFile, document.value);
  // An average over benchmarks has no problems of its own.
  const names = Map.groupBy(
    Object.keys(metrics),
    (task) => aggregateOf(metrics, task)?.['num_benchmarks_in_group'] !== undefined,
  );
  const tasks = chosenTasks(path, names.get(false) ?? [], { wish, averages: names.get(true) ?? [] });
  const aggregates = new Map(tasks.map((task) => [task, aggregateOf(metrics, task)]));
  mustHaveProblems(path, new Map([...aggregates].map(([task, own]) => [task, own?.['num_entries']])), wish);
  const told = new Map<string, readonly Metric[]>();
  for (const [task, aggregate] of aggregates) {
    if (aggregate === null) throw refused(path, `${task}: has no pass@1, and a score is the mean over single answers`);
    told.set(task, metricsOf(aggregate));
  }
  const read: ImportedResult[] = [];
  for (const [task, metric] of chosenMetrics(path, told, wish))
    read.push(...(await readBenchmark({ path, metrics, task, metric, wish })));
  return read;
}

interface Benchmark {
  readonly path: string;
  readonly metrics: Metrics;
  readonly task: string;
  readonly metric: { readonly name: string; readonly value: number };
  readonly wish: Wish;
}

/** Its runs where their outputs lie beside it with a word on each answer, each for itself; else their mean. */
async function readBenchmark(of: Benchmark): Promise<readonly ImportedResult[]> {
  const { path, metrics, task, metric, wish } = of;
  const aggregate = aggregateOf(metrics, task) ?? { runs: 1 };
  const problems = typeof aggregate['num_entries'] === 'number' ? aggregate['num_entries'] : wish.problems;
  if (problems === undefined) throw refused(path, `${task}.num_entries: is missing: say --problems`);
  const run = runOf(metrics, task);
  const outputs = await outputsOf(path, task, run.parts);
  const [first] = outputs;
  if (first !== undefined && fieldOf(metric.name) in (await firstLine(first))) {
    const runs: ImportedResult[] = [];
    for (const output of outputs)
      runs.push(await outcomesOf(output, { task, run, wish: { ...wish, metric: metric.name, problems } }));
    const means = runs.flatMap(({ found }) => (found.kind === 'outcomes' ? [meanOf(found)] : []));
    mustAgree(dirname(first), means.reduce((sum, one) => sum + one, 0) / means.length, {
      path,
      says: metric.value,
    });
    return runs;
  }
  const statistics = aggregate[`${metric.name}_statistics`];
  const spread = isObject(statistics) ? statistics['std_dev_across_runs'] : undefined;
  const deviation =
    aggregate.runs > 1 && typeof spread === 'number' && spread >= 0 && spread <= 1 ? { deviation: spread } : {};
  const found = { kind: 'mean' as const, score: metric.value, problems, runs: aggregate.runs, ...deviation };
  const { digest } = run;
  const settings = first === undefined ? {} : settingsOf(first);
  return [{ tool: 'nemo-skills', task, metric: metric.name, settings, source: basename(path), digest, run, found }];
}

/** One run by itself; how many problems it is to have is in the metrics beside it, where they are. */
async function readOutput(path: string, wish: Wish): Promise<ImportedResult> {
  const folder = dirname(resolve(path));
  const task = wish.task ?? basename(folder);
  const name = basename(path);
  if (/_chunk_|-async/.test(name))
    throw refused(path, 'is a part of a run that is not put together yet: name output.jsonl or output-rs<seed>.jsonl');
  for (const file of [join(folder, 'metrics.json'), join(dirname(folder), 'metrics.json')]) {
    if (!(await isFile(file))) continue;
    const document = await readDocument(file);
    const parsed = metricsFile.safeParse(document?.value);
    const problems = parsed.success ? aggregateOf(parsed.data, task)?.['num_entries'] : undefined;
    if (parsed.success && typeof problems === 'number')
      return await outcomesOf(path, { task, run: partOf(runOf(parsed.data, task), name), wish: { ...wish, problems } });
  }
  return await outcomesOf(path, { task, run: null, wish });
}

/** `run` is null where no metrics tell of it. */
async function outcomesOf(
  path: string,
  { task, run, wish }: { task: string; run: ImportedResult['run'] | null; wish: Wish },
): Promise<ImportedResult> {
  const outcomes = outcomeList();
  let metric = wish.metric === undefined ? undefined : fieldOf(wish.metric);
  let number = 0;
  const digest = await readLines(path, ({ value, where }) => {
    number += 1;
    metric ??= gradedBy(value, where);
    const isRight = metric === 'judgement' ? isJudgedRight(value[metric]) : rightOf(value[metric]);
    if (isRight === null)
      throw refused(
        where,
        `${metric}: ${metric in value ? 'is neither true nor false' : 'is missing: was it graded?'}`,
      );
    outcomes.add(
      {
        problem: nameOf(value, number),
        isRight,
        tokens: wholeOf(value['num_generated_tokens']),
        seconds: secondsOf(value),
      },
      where,
    );
  });
  const found = outcomes.end(path, wish.problems);
  return {
    tool: 'nemo-skills',
    task,
    metric: metricOf(metric ?? ''),
    settings: settingsOf(path),
    source: basename(path),
    digest,
    run: run ?? { digest, parts: 1 },
    found,
  };
}

/** What each answer has for a metric, where that is called otherwise. */
const fields: Readonly<Record<string, string>> = {
  judge_correct: 'judgement',
  passing_base_tests: 'is_correct',
  passing_plus_tests: 'is_correct-plus',
};
const fieldOf = (metric: string): string => fields[metric] ?? metric;
const metricOf = (field: string): string => Object.entries(fields).find(([, one]) => one === field)?.[0] ?? field;

/** A run without a seed is greedy unless it is told otherwise, and is no run like those with one. */
function settingsOf(output: string): ImportedResult['settings'] {
  const name = basename(output);
  if (isSeeded(name)) return { sampling: 'by seeds' };
  return name === 'output.jsonl' ? { sampling: 'without a seed' } : {};
}

const isSeeded = (name: string): boolean => /^output-rs\d+\.jsonl$/.test(name);

function gradedBy(value: JsonObject, where: string): string {
  const [one, ...others] = graded.filter((field) => field in value);
  if (one === undefined)
    throw refused(
      where,
      `symbolic_correct: is missing: was it graded? Another field with true or false is named with --metric`,
    );
  if (others.length > 0)
    throw refused(where, 'was graded twice, by symbolic_correct and by judge_correct: name one with --metric');
  return one;
}

/** As NeMo-Skills reads a judge: what is no `Judgement: Yes` is wrong. */
function isJudgedRight(judgement: unknown): boolean | null {
  if (typeof judgement !== 'string') return null;
  return /\*{0,2}Judgement\*{0,2}\s*:\s*yes/i.test(judgement);
}

/** Its number, and what tells it from the problem of this number in other data. */
function nameOf(value: JsonObject, number: number): string {
  const { id, problem, question } = value;
  if ((typeof id === 'string' && id.length <= 60) || typeof id === 'number') return String(id);
  const text = problem ?? question;
  const hash = typeof text === 'string' ? createHash('sha256').update(text).digest('hex').slice(0, 8) : '';
  return [String(number), hash].filter((part) => part !== '').join('-');
}

const wholeOf = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;

function secondsOf({ generation_start_time: start, generation_end_time: end }: JsonObject): number | null {
  return typeof start === 'number' && typeof end === 'number' && end >= start
    ? Math.round((end - start) * 1000) / 1000
    : null;
}

/** Over the most runs: `pass@1[avg-of-4]` says more than `pass@1`. */
function aggregateOf(metrics: Metrics, task: string): Aggregate | null {
  const modes = Object.entries(metrics[task] ?? {}).flatMap(([mode, values]): Aggregate[] => {
    const runs = mode === 'pass@1' ? 1 : Number(/^pass@1\[avg-of-(\d+)\]$/.exec(mode)?.[1] ?? 0);
    return runs > 0 ? [{ ...values, runs }] : [];
  });
  return modes.sort((a, b) => b.runs - a.runs)[0] ?? null;
}

/** Of this benchmark alone: another one's result beside it makes no other score of this. */
function runOf(metrics: Metrics, task: string): ImportedResult['run'] {
  const digest = createHash('sha256').update(JSON.stringify(metrics[task])).digest('hex');
  return { digest, parts: aggregateOf(metrics, task)?.runs ?? 1 };
}

/** A mean over several is one over those with a seed. */
const partOf = (run: ImportedResult['run'], output: string): ImportedResult['run'] | null =>
  run.parts === 1 || isSeeded(output) ? run : null;

/** It writes percents. */
function metricsOf(aggregate: Aggregate): readonly Metric[] {
  return Object.entries(aggregate)
    .filter(([name, value]) => name !== 'runs' && !notScores.includes(name) && typeof value === 'number')
    .map(([name, value]) => ({ name, value: Number(value) / 100, higherIsBetter: true }));
}

/** `<benchmark>/output*.jsonl` beside the metrics, or in their own folder: those that the mean is over. Throws where some are not there. */
async function outputsOf(path: string, task: string, runs: number): Promise<readonly string[]> {
  const own = dirname(resolve(path));
  for (const folder of [join(own, task), ...(basename(own) === task ? [own] : [])]) {
    const names = (await readdir(folder).catch(() => [])).sort();
    if (runs === 1 && names.includes('output.jsonl')) return [join(folder, 'output.jsonl')];
    const outputs = names.filter(isSeeded);
    if (outputs.length === 0) continue;
    if (outputs.length !== runs)
      throw refused(
        folder,
        `has ${String(outputs.length)} of ${String(runs)} runs: put output-rs<seed>.jsonl of each there, or name one of them; the mean alone is taken where none is there`,
      );
    return outputs.map((name) => join(folder, name));
  }
  return [];
}
