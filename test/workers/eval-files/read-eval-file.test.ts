/**
 * Files of other harnesses, whole and half written. Those of lm-eval were written by lm_eval 0.4.13 (`--model dummy --log_samples`, two
 * small tasks); lighteval's has the fields that `EvaluationTracker` of 0.13 saves, NeMo-Skills' those of `ns eval` with two seeds
 * (`MathMetrics`, `summarize_results.py`).
 */
import { cp, mkdtemp, readFile, rename, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importedResultSchema } from '../../../configs/schema-import.ts';
import { readEvalFile } from '../../../workers/eval-files/read-eval-file.ts';

const date = '2026-11-30T14-22-22.425848';
const lmEval = `lm-eval/results_${date}.json`;
const samples = `lm-eval/samples_tiny_addition_${date}.jsonl`;
const lighteval = 'lighteval/results_2026-11-30T10-00-00.000000.json';
const strict = { task: 'tiny_addition', metric: 'exact_match,strict-match' };
const metrics = 'nemo-skills/metrics.json';
const output = 'nemo-skills/arithmetic/output-rs1.jsonl';

let folder = '';
const at = (file: string) => join(folder, file);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-eval-files-'));
  await cp(import.meta.dirname, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

async function read(file: string, wish: Parameters<typeof readEvalFile>[1] = {}) {
  const results = await readEvalFile(at(file), wish);
  return results.map((one) => importedResultSchema.parse(one));
}
const edit = async (file: string, change: (text: string) => string) => {
  await writeFile(at(file), change(await readFile(at(file), 'utf8')));
};
const withoutLine = (number: number) => (text: string) =>
  text
    .split('\n')
    .filter((_, index) => index !== number - 1)
    .join('\n');

test('lm-eval with samples: an outcome for each problem, whichever of the two files is named', async () => {
  const [result, ...others] = await read(lmEval, strict);
  expect(others).toEqual([]);
  expect(result).toMatchObject({
    tool: 'lm-eval',
    ...strict,
    settings: { taskVersion: 1, fewShots: 0 },
    source: `samples_tiny_addition_${date}.jsonl`,
    found: { kind: 'outcomes', right: '100100' },
  });
  expect(result?.found).toHaveProperty('problems.0', '0-9fa97254');
  expect(await read(samples, { metric: strict.metric })).toEqual([result]);
  expect(await read(lmEval, { task: 'tiny_choice' })).toMatchObject([
    { metric: 'acc,none', found: { right: '100000' } },
  ]);
});

test('lm-eval without samples: the mean with its error', async () => {
  await unlink(at(samples));
  const found = { kind: 'mean', score: 1 / 3, problems: 6, runs: 1, standardError: 0.210818510677892 };
  expect(await read(lmEval, strict)).toMatchObject([{ source: `results_${date}.json`, found }]);
});

test('samples that are more than right or wrong are no outcomes', async () => {
  await edit(samples, (text) => text.replace('"exact_match": 1.0', '"exact_match": 0.5'));
  expect(await read(lmEval, strict)).toMatchObject([{ found: { kind: 'mean' } }]);
});

test('lighteval: means, and not those over tasks', async () => {
  const [result] = await read(lighteval, { task: 'gsm8k|5' });
  expect(result).toMatchObject({
    tool: 'lighteval',
    task: 'gsm8k',
    metric: 'extractive_match',
    settings: { fewShots: 5, taskVersion: 0 },
    found: { kind: 'mean', score: 0.55, problems: 40, standardError: 0.08 },
  });
  const all = await read(lighteval, { problems: 135 });
  expect(all.map(({ task, found }) => [task, found.kind === 'mean' && found.problems])).toEqual([
    ['gsm8k', 40],
    ['mmlu:anatomy', 135],
  ]);
});

test('NeMo-Skills: each seed with its outcomes and tokens; without outputs the mean over both', async () => {
  const runs = await read(metrics);
  expect(runs.map(({ source, found }) => [source, found.kind === 'outcomes' && found.right])).toEqual([
    ['output-rs0.jsonl', '1011'],
    ['output-rs1.jsonl', '1101'],
  ]);
  expect(runs[1]).toMatchObject({
    task: 'arithmetic',
    metric: 'symbolic_correct',
    found: { tokens: [12, 13, 14, 15] },
  });
  expect(await read(output)).toEqual([runs[1]]);
  await rm(at('nemo-skills/arithmetic'), { recursive: true });
  expect(await read(metrics)).toMatchObject([
    { source: 'metrics.json', found: { kind: 'mean', score: 0.75, problems: 4, runs: 2, deviation: 0 } },
  ]);
});

test("a judge's word is read as NeMo-Skills reads it", async () => {
  await edit(output, (text) =>
    text
      .replaceAll('"symbolic_correct": true', '"judgement": "**Judgement**: Yes"')
      .replaceAll('"symbolic_correct": false', '"judgement": "I cannot say"'),
  );
  expect(await read(output)).toMatchObject([{ metric: 'judge_correct', found: { right: '1101' } }]);
});

test('numbers that are not finite are read as Python writes them; a text that says NaN stays', async () => {
  await edit(lmEval, (text) =>
    text
      .replace('"exact_match,flexible-extract": 0.0', '"exact_match,flexible-extract": NaN')
      .replace('"git_hash": null', '"git_hash": "NaN, \\"x\\""'),
  );
  expect(await read(lmEval, { task: 'tiny_addition' })).toMatchObject([{ metric: strict.metric }]);
});

test('samples under another name than .jsonl are told by what they hold', async () => {
  await rename(at(output), at('nemo-skills/arithmetic/run.txt'));
  expect(await read('nemo-skills/arithmetic/run.txt')).toMatchObject([
    { tool: 'nemo-skills', found: { right: '1101' } },
  ]);
});

interface Refused {
  readonly title: string;
  readonly file: string;
  readonly wish?: Parameters<typeof readEvalFile>[1];
  readonly before?: () => Promise<unknown>;
  readonly want: string;
}

test.each<Refused>([
  { title: 'none', file: 'nowhere.json', want: 'nowhere.json: there is no such file' },
  { title: 'a folder', file: 'lm-eval', want: 'lm-eval: is no file: name a file of results in it' },
  {
    title: 'an empty one',
    file: lmEval,
    before: () => truncate(at(lmEval), 0),
    want: `${lmEval}: is empty: is it still being written?`,
  },
  {
    title: 'what is no JSON',
    file: 'recipe.yaml',
    before: () => writeFile(at('recipe.yaml'), 'name: tiny\nphases: []\n'),
    want: 'recipe.yaml: is no JSON (',
  },
  {
    title: 'a torn last line, with its line',
    file: samples,
    wish: strict,
    before: () => edit(samples, (text) => text.slice(0, -40)),
    want: `${samples}:12: is no whole JSON (`,
  },
  {
    title: 'fewer samples than the results say',
    file: lmEval,
    wish: strict,
    before: () => edit(samples, withoutLine(3)),
    want: `${samples}: has 5 of 6 problems: is it still being written, or was it cut off?`,
  },
  {
    title: 'a sample twice',
    file: lmEval,
    wish: strict,
    before: () => edit(samples, (text) => `${text}${text.split('\n')[0] ?? ''}\n`),
    want: `${samples}:13: has problem 0-9fa97254 twice`,
  },
  {
    title: 'a sample without the metric',
    file: lmEval,
    wish: strict,
    before: () => edit(samples, (text) => text.replace(', "exact_match": 0.0', '')),
    want: `${samples}:2: exact_match: is missing`,
  },
  {
    title: 'samples of another run',
    file: lmEval,
    wish: strict,
    before: () => edit(samples, (text) => text.replaceAll('"exact_match": 0.0', '"exact_match": 1.0')),
    want: 'it has 100.00 % right, and that says 33.33 %',
  },
  {
    title: 'samples without their results',
    file: samples,
    before: () => unlink(at(lmEval)),
    want: `put results_${date}.json beside it`,
  },
  {
    title: 'a missing field',
    file: lmEval,
    before: () => edit(lmEval, (text) => text.replace('"results": {', '"result": {')),
    want: 'results: ',
  },
  {
    title: 'several metrics, of which none is named',
    file: lmEval,
    want: 'several metrics that may be meant, "exact_match,strict-match", "exact_match,flexible-extract": name one with --metric',
  },
  {
    title: 'a metric that is not there',
    file: lmEval,
    wish: { metric: 'acc' },
    want: 'task "tiny_addition" has no metric "acc"',
  },
  {
    title: 'a task that is not there',
    file: lmEval,
    wish: { task: 'tiny_choise' },
    want: 'did you mean "tiny_choice"?',
  },
  {
    title: 'a metric that is lower where it is better',
    file: lighteval,
    wish: { task: 'gsm8k|5', metric: 'extractive_match' },
    before: () => edit(lighteval, (text) => text.replace('"higher_is_better": true', '"higher_is_better": false')),
    want: 'metric "extractive_match" of task "gsm8k|5" is lower where it is better',
  },
  {
    title: 'a mean over nobody knows how many',
    file: lighteval,
    want: 'does not say how many problems "mmlu:anatomy|0" has (config_tasks.mmlu:anatomy|0.effective_num_docs): say --problems',
  },
  {
    title: 'a run of fewer problems than its metrics say',
    file: output,
    before: () => edit(output, withoutLine(2)),
    want: `${output}: has 3 of 4 problems`,
  },
  {
    title: 'a run that was not graded',
    file: output,
    before: () => edit(output, (text) => text.replaceAll('symbolic_correct', 'was')),
    want: `${output}:1: symbolic_correct: is missing: was it graded?`,
  },
  {
    title: 'a chunk of a run',
    file: 'nemo-skills/arithmetic/output-rs0_chunk_0.jsonl',
    before: () =>
      rename(at('nemo-skills/arithmetic/output-rs0.jsonl'), at('nemo-skills/arithmetic/output-rs0_chunk_0.jsonl')),
    want: 'is a part of a run that is not put together yet',
  },
  {
    title: 'a file of another program',
    file: 'other.json',
    before: () => writeFile(at('other.json'), '{"accuracy": 0.8}'),
    want: 'other.json: is of no harness that is known here: its fields are accuracy. Accepted are results_<date>.json of lm-eval',
  },
  {
    title: 'one that is said to be of a harness and is not',
    file: lmEval,
    wish: { format: 'lighteval' },
    want: 'config_general: ',
  },
])('refuses $title', async ({ file, wish = {}, before, want }) => {
  await before?.();
  await expect(readEvalFile(at(file), wish)).rejects.toThrow(want);
});

test('a torn document is named with the line where it ends', async () => {
  const whole = await readFile(at(lmEval), 'utf8');
  const text = whole.slice(0, whole.indexOf('"versions"')).trimEnd();
  await writeFile(at(lmEval), text);
  const line = String(text.split('\n').length);
  await expect(read(lmEval)).rejects.toThrow(`${lmEval}:${line}: is no whole JSON (`);
});
