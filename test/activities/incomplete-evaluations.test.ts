/** Outcomes that are less than the benchmark defines are no evaluation; what is in the ledger once stays. */
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EvaluationKey } from '../../decisions/evaluation.ts';
import type { PhaseContext } from '../../workflows/contract.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  created,
  runId,
  startAttempt,
  type StartedAttempt,
} from '../support/activity-bench.ts';
import { fakeTrainer, type FakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
const samples2 = { ...contextOf().benchmarks['addition'], samples: 2 };
const context = contextOf({ benchmarks: { addition: samples2 } as PhaseContext['benchmarks'] });
const id = (step: number) => `demo/sft/a1/checkpoint-${String(step)}`;
const key = (step: number): EvaluationKey => ({ checkpoint: id(step), benchmark: 'addition', version: 1, seed: 1 });
const right = { '1+1': [true, true], '2+2': [true, false] };
const evaluations = (...steps: number[]) => bench.ledger.evaluationsOf(steps.map(id));

beforeEach(async () => {
  bench = await activityBench();
  const attempt = await startAttempt(bench);
  for (const step of [20, 40]) await fakeTrainer(attempt).saves(step);
  for (const seenSteps of [[], [20]]) await bench.as(runId).awaitJob({ ...attempt, seenSteps });
});
afterEach(() => bench.close());

async function start(
  keys: EvaluationKey[],
  opened = 1,
  of = context,
): Promise<StartedAttempt & { readonly trainer: FakeTrainer }> {
  const evaluation = bench.as('evaluation-run');
  const ticket = await evaluation.openEvaluation({ context: of, title: 'sft', evaluations: keys, opened });
  if (ticket === null || 'spent' in ticket) throw new Error('nothing to evaluate');
  const started = { context: of, ticket, job: created(await evaluation.submitJob({ context: of, ticket })) };
  return { ...started, trainer: fakeTrainer(started) };
}
const judge = ({ context: of, ticket, job }: StartedAttempt) =>
  bench.as('evaluation-run').judgeEvaluation({ context: of, ticket, job, attempts: [ticket.number] });

const row = (sample: number) =>
  `{"problem": "1+1", "sample": ${String(sample)}, "correct": true, "answer": "2", "tokens": 1, "truncated": false, "seconds": 0}\n`;
test.each([
  { title: 'half a row', text: `${row(0)}{"problem": "1+1", "sample": 1, "corr`, why: 'its line 2 is no row' },
  { title: 'fewer samples than are asked for', text: row(0), why: 'it has 1 of problem 1+1, and 2 samples are' },
  { title: 'no rows', text: '', why: 'it has no rows' },
])('$title is no evaluation, and the job is judged by it, with the reason', async ({ text, why }) => {
  const started = await start([key(20)]);
  const file = join(started.ticket.directory, 'outcomes', '0001.jsonl');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await started.trainer.finishes();
  bench.backend.end(started.job);
  const { kind, sentence } = await judge(started);
  expect(kind).toBe('again');
  expect(sentence).toContain(`what it left is no evaluation: outcomes/0001.jsonl (addition, seed 1): ${why}`);
  expect(await evaluations(20)).toEqual([]);
  expect(await bench.ledger.incidentsOf({ runId: 'run-1', phase: 'sft', purpose: 'evaluate' })).toMatchObject([
    { class: 'unproven', because: { rule: 'incomplete-evaluation' } },
  ]);
});

test('one that is far too long is told apart from one that is missing', async () => {
  const of = {
    ...context,
    benchmarks: { addition: { ...samples2, data: { tiny: 'held-out', rows: 3, longShare: 0 } } },
  } as PhaseContext;
  const started = await start([key(20), key(40)], 1, of);
  const file = join(started.ticket.directory, 'outcomes', '0001.jsonl');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, row(0));
  await truncate(file, 2 ** 20);
  await started.trainer.finishes();
  bench.backend.end(started.job);
  const { sentence } = await judge(started);
  expect(sentence).toContain('outcomes/0001.jsonl (addition, seed 1): it is longer than 0.6 MiB');
  expect(sentence).toContain('and 1 more are not whole');
});

test.each([
  { title: 'that the recipe asks for', data: { rows: 3 } },
  { title: 'that its file has', data: {} },
])('one that lacks problems $title is none; beside it a whole one counts', async ({ data }) => {
  const jsonl = join(bench.folder, 'sums.jsonl');
  await writeFile(
    jsonl,
    '{"prompt": "1+1", "answer": 2}\n\n{"prompt": "2+2", "answer": 4}\n{"prompt": "3+3", "answer": 6}\n',
  );
  const benchmark = { ...context.benchmarks['addition'], data: { jsonl, ...data } };
  const of = { ...context, benchmarks: { addition: benchmark } } as PhaseContext;
  const started = await start([key(20), key(40)], 1, of);
  await started.trainer.evaluates('outcomes/0001.jsonl', right);
  await started.trainer.evaluates('outcomes/0002.jsonl', { ...right, '3+3': [false, false] });
  await started.trainer.finishes();
  bench.backend.end(started.job);
  const { sentence } = await judge(started);
  expect(sentence).toContain('outcomes/0001.jsonl (addition, seed 1): it has 2 of 3 problems');
  expect(await evaluations(20, 40)).toMatchObject([key(40)]);
});

test('a failed evaluation is none and is made again; what its job left whole stays as it was', async () => {
  const failed = await start([key(20), key(40)]);
  await failed.trainer.evaluates('outcomes/0001.jsonl', right);
  bench.backend.end(failed.job, { exitCode: 1, lastLines: ['ValueError: no'] });
  await judge(failed);
  expect(await evaluations(20, 40)).toMatchObject([key(20)]);
  const again = await start([key(40)], 2);
  await again.trainer.evaluates('outcomes/0001.jsonl', { '1+1': [true, true], '2+2': [true, true] });
  await again.trainer.finishes();
  bench.backend.end(again.job);
  await judge(again);
  expect(await evaluations(20, 40)).toMatchObject([
    { ...key(20), problems: [{ correct: 2 }, { correct: 1 }] },
    { ...key(40), problems: [{ correct: 2 }, { correct: 2 }] },
  ]);
});
