/** Files of other harnesses that are whole: what is read of them. */
import { cp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  at,
  copyFiles,
  date,
  detailed,
  details,
  edit,
  lighteval,
  lmEval,
  metrics,
  output,
  read,
  samples,
  strict,
} from './files-of-harnesses.ts';

copyFiles();

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

test('what makes a score another score is told: the chat template of lm-eval, the generation of lighteval, the seeds of NeMo-Skills', async () => {
  await edit(lmEval, (text) =>
    text
      .replace('"chat_template_sha": null', '"chat_template_sha": "c0ffee"')
      .replace('"fewshot_as_multiturn": null', '"fewshot_as_multiturn": true'),
  );
  expect(await read(lmEval, strict)).toMatchObject([{ settings: { chatTemplate: 'c0ffee', fewShotsAsTurns: 'true' } }]);
  expect(await read(lighteval, { task: 'gsm8k|5' })).toMatchObject([
    { settings: { generation: '{"max_new_tokens":512,"temperature":0.6}' } },
  ]);
  expect(await read(output)).toMatchObject([{ settings: { sampling: 'by seeds' } }]);
  await rename(at(output), at('nemo-skills/arithmetic/output.jsonl'));
  expect(await read('nemo-skills/arithmetic/output.jsonl')).toMatchObject([
    { settings: { sampling: 'without a seed' } },
  ]);
});

/** As docs/source/saving-and-reading-results.mdx of lighteval has it. */
const older = {
  config_general: { lighteval_sha: '203045a8', max_samples: 1, model_name: 'gpt2' },
  results: { 'lighteval|gsm8k|0': { em: 0.5, em_stderr: 0.1, 'maj@8': 0.5 }, all: { em: 0.5, em_stderr: 0.1 } },
  versions: { 'lighteval|gsm8k|0': 0 },
  config_tasks: {
    'lighteval|gsm8k': {
      name: 'gsm8k',
      metric: [
        { metric_name: 'em', higher_is_better: true },
        { metric_name: 'maj@8', higher_is_better: false },
      ],
      generation_size: 256,
      original_num_docs: 1319,
      effective_num_docs: 1,
      version: 0,
    },
  },
};

test('an older lighteval, whose configuration names a task without its examples', async () => {
  await writeFile(at('older.json'), JSON.stringify(older));
  const [result] = await read('older.json');
  expect(result).toMatchObject({
    ...{ task: 'gsm8k', metric: 'em', settings: { fewShots: 0, generationSize: 256 } },
    found: { score: 0.5, problems: 1 },
  });
  await expect(read('older.json', { problems: 1319 })).rejects.toThrow(
    'has 1 problems of "lighteval|gsm8k|0", and --problems says 1319',
  );
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

test('lighteval with details: an outcome for each problem, in whichever folder they lie and whichever file is named', async () => {
  const [result, ...others] = await read(detailed, { task: 'sums|0' });
  expect(others).toEqual([]);
  expect(result).toMatchObject({
    ...{ tool: 'lighteval', task: 'sums', metric: 'em', settings: { fewShots: 0, taskVersion: 0, generationSize: 8 } },
    source: basename(details),
    found: { kind: 'outcomes', right: '1011', tokens: [3, 4, 5, 6] },
  });
  expect(result?.found).toHaveProperty('problems.0', '2-72f89175');
  expect(await read(details)).toEqual([result]);
  expect(await read(detailed)).toMatchObject([{ found: { right: '1011' } }, { task: 'sums_choice' }]);
  const beside = join(dirname(detailed), basename(details));
  await rename(at(details), at(beside));
  expect(await read(beside)).toEqual([result]);
  await unlink(at(beside));
  expect(await read(detailed, { task: 'sums|0', problems: 4 })).toMatchObject([
    { run: result?.run, found: { kind: 'mean', score: 0.75, problems: 4, standardError: 0.25 } },
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

test('NeMo-Skills: a run without a seed is none of those with one, and all of these are to be there', async () => {
  const folderOf = 'nemo-skills/arithmetic';
  await cp(at(output), at(`${folderOf}/output.jsonl`));
  const greedy = await read(`${folderOf}/output.jsonl`);
  expect((await read(metrics)).map(({ source }) => source)).toEqual(['output-rs0.jsonl', 'output-rs1.jsonl']);
  expect(greedy[0]?.run).toEqual({ digest: greedy[0]?.digest, parts: 1 });
  await unlink(at(output));
  await expect(read(metrics)).rejects.toThrow(`${folderOf}: has 1 of 2 runs: put output-rs<seed>.jsonl of each there`);
});

test('NeMo-Skills: the tests of code are outcomes; where answers lack the metric, its mean is', async () => {
  const all = ['nemo-skills/arithmetic/output-rs0.jsonl', output];
  await edit(metrics, (text) => text.replaceAll('symbolic_correct', 'passing_base_tests'));
  for (const file of all) await edit(file, (text) => text.replaceAll('symbolic_correct', 'is_correct'));
  const runs = await read(metrics);
  expect(runs.map(({ metric, found }) => [metric, found.kind])).toEqual([
    ['passing_base_tests', 'outcomes'],
    ['passing_base_tests', 'outcomes'],
  ]);
  expect(await read(output, { format: 'nemo-skills', metric: 'passing_base_tests' })).toEqual([runs[1]]);
  await edit(metrics, (text) => text.replaceAll('passing_base_tests', 'prompt_strict_accuracy'));
  expect(await read(metrics)).toMatchObject([
    { metric: 'prompt_strict_accuracy', found: { kind: 'mean', score: 0.75, problems: 4, runs: 2 } },
  ]);
});

test('a run has one mark, whichever of its files is read', async () => {
  const [samplesOf] = await read(lmEval, strict);
  await unlink(at(samples));
  const [meanOf] = await read(lmEval, strict);
  expect(samplesOf?.run).toEqual(meanOf?.run);
  const runs = await read(metrics);
  await rm(at('nemo-skills/arithmetic'), { recursive: true });
  expect([...runs, ...(await read(metrics))].map(({ run }) => run)).toEqual(
    Array(3).fill({ ...runs[0]?.run, parts: 2 }),
  );
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
