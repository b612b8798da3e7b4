/** Files of other harnesses that are half written, or may mean two things: each is refused with the reason. */
import { cp, readFile, rename, truncate, unlink, writeFile } from 'node:fs/promises';
import { readEvalFile } from '../../../workers/eval-files/read-eval-file.ts';
import {
  at,
  copyFiles,
  date,
  detailed,
  details,
  edit,
  lighteval,
  lmEval,
  output,
  read,
  samples,
  strict,
  withoutLine,
} from './files-of-harnesses.ts';

copyFiles();

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
    title: 'several tasks without one metric that fits, each of them once, and says what to do',
    file: lmEval,
    wish: { metric: 'f1' },
    want: 'task "tiny_addition" has no metric "f1"; there are: "exact_match,strict-match", "exact_match,flexible-extract"; task "tiny_choice" has no metric "f1"; there are: "acc,none". --task brings one task alone',
  },
  {
    title: 'an average over tasks',
    file: lighteval,
    wish: { task: 'mmlu:_average|0' },
    want: '"mmlu:_average|0" is an average over tasks, which has no problems of its own: name one of them. There are: gsm8k|5, mmlu:anatomy|0',
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
    title: 'a Parquet file that was cut off',
    file: details,
    before: async () => truncate(at(details), 4096),
    want: 'is no whole Parquet file (',
  },
  {
    title: 'details without the results that say what they are scores of',
    file: 'lighteval/details_sums|0_2026-11-30T18-18-10.740180.parquet',
    before: () => rename(at(details), at('lighteval/details_sums|0_2026-11-30T18-18-10.740180.parquet')),
    want: 'leave it where lighteval put it, or put results_2026-11-30T18-18-10.740180.json beside it',
  },
  {
    title: 'details of another run than the results',
    file: detailed,
    wish: { task: 'sums|0' },
    before: () => edit(detailed, (text) => text.replace('"em": 0.75', '"em": 0.5')),
    want: 'it has 75.00 % right, and that says 50.00 %',
  },
  {
    title: 'details that are not there, though their results are',
    file: details,
    before: () => unlink(at(details)),
    want: 'there is no such file',
  },
  {
    title: 'details of another task than the one that is named',
    file: details,
    wish: { task: 'sums_choice|0' },
    want: 'has details of task "sums|0", and --task says "sums_choice|0"',
  },
  {
    title: 'a Parquet file of another program',
    file: 'lighteval/train.parquet',
    before: () => rename(at(details), at('lighteval/train.parquet')),
    want: 'is not called as lighteval calls its details',
  },
  {
    title: 'details that a person compressed otherwise',
    file: details,
    before: () => cp(at('lighteval/zstd.parquet'), at(details)),
    want: 'is compressed with ZSTD: write it with snappy',
  },
  {
    title: 'details of fewer problems than there are to be',
    file: details,
    wish: { problems: 5 },
    want: 'has 4 of 5 problems',
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
