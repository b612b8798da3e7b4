/** An evaluation that several jobs share: in the ledger once, when all shards are whole. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptTicket } from '../../activities/attempts.ts';
import type { JobRef } from '../../activities/backend.ts';
import { recipeSchema } from '../../configs/schema.ts';
import type { EvaluationKey } from '../../decisions/evaluation.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  created,
  runId,
  startAttempt,
} from '../support/activity-bench.ts';
import { addition, recipeOf } from '../support/recipes.ts';
import { fakeTrainer, type FakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
const { benchmarks } = recipeSchema.parse(
  recipeOf([], { benchmarks: { addition: { ...addition, data: { tiny: 'held-out', rows: 3 } } } }),
);
const context = contextOf({ benchmarks });
const checkpoint = 'demo/sft/a1/checkpoint-20';
const key: EvaluationKey = { checkpoint, benchmark: 'addition', version: 1, seed: 1 };
const output = 'outcomes/0001.jsonl';

beforeEach(async () => {
  bench = await activityBench({ evaluations: { shards: 2 } });
  const attempt = await startAttempt(bench);
  await fakeTrainer(attempt).saves(20);
  await bench.as(runId).awaitJob({ ...attempt, seenSteps: [] });
});
afterEach(() => bench.close());

interface Started {
  readonly ticket: AttemptTicket;
  readonly job: JobRef;
  readonly trainer: FakeTrainer;
}

async function open(opened: number, index?: number, of = context) {
  const shard = index === undefined ? {} : { shard: { index, of: 2 } };
  const input = { context: of, title: 'sft step 20', evaluations: [key], opened, ...shard };
  return await bench.as('evaluation-run').openEvaluation(input);
}

async function start(opened: number, index?: number): Promise<Started> {
  const ticket = await open(opened, index);
  if (ticket === null || 'spent' in ticket) throw new Error('nothing to evaluate');
  const job = created(await bench.as('evaluation-run').submitJob({ context, ticket }));
  return { ticket, job, trainer: fakeTrainer({ context, ticket, job }) };
}

async function ends(started: Started, problems: Readonly<Record<string, readonly boolean[]>>): Promise<string> {
  const { job, trainer } = started;
  await trainer.evaluates(output, problems);
  await trainer.finishes();
  bench.backend.end(job);
  return await judge(started);
}

async function judge({ ticket, job }: Started): Promise<string> {
  const input = { context, ticket, job, attempts: [ticket.number] };
  const { kind, sentence } = await bench.as('evaluation-run').judgeEvaluation(input);
  return `${kind}: ${sentence}`;
}

const problems = async () =>
  (await bench.ledger.evaluationsOf([checkpoint])).map((one) => one.problems.map(({ problem }) => problem));

test('the profile says how many; each job is told its shard', async () => {
  const first = await start(1);
  expect(first.ticket).toMatchObject({ shard: { index: 0, of: 2 }, title: 'sft evaluation, shard 1 of 2' });
  const second = await start(2, 1);
  const request = JSON.parse(await readFile(join(second.ticket.directory, 'request.json'), 'utf8')) as unknown;
  expect(request).toMatchObject({ evaluations: [{ key: expect.any(String) as string, shard: { index: 1, of: 2 } }] });
});

test('outcomes enter the ledger once, by the shard that ends last, in the order of the problems', async () => {
  const [first, second] = [await start(1), await start(2, 1)];
  expect(await ends(second, { b: [false] })).toBe('completed: 0 evaluations recorded, 1 waiting for other shards');
  expect(await problems()).toEqual([]);
  expect(await ends(first, { a: [true], c: [true] })).toBe('completed: 1 evaluations recorded');
  expect(await judge(second)).toBe('completed: 1 evaluations recorded');
  expect(await problems()).toEqual([['a', 'b', 'c']]);
  expect(await bench.ledger.evaluationCountOf('run-1')).toBe(1);
  expect(await open(3, 1)).toBeNull();
});

test('a shard that fails is tried again alone', async () => {
  const [first, second] = [await start(1), await start(2, 1)];
  await ends(first, { a: [true], c: [true] });
  bench.backend.end(second.job, { exitCode: null, signal: 'SIGKILL' });
  expect(await judge(second)).toMatch(/^again: evaluation job 2, node node-1: rank 0 was killed by SIGKILL/);
  expect(await ends(await start(3, 1), { b: [false] })).toBe('completed: 1 evaluations recorded');
  expect(await problems()).toEqual([['a', 'b', 'c']]);
});

test('a shard that lacks a problem is not whole, and the others wait for it', async () => {
  const [first, second] = [await start(1), await start(2, 1)];
  expect(await ends(first, { a: [true] })).toMatch(/^again: .*it has 1 of the 2 problems of its shard/);
  expect(await ends(second, { b: [true] })).toMatch(/1 waiting/);
  expect(await problems()).toEqual([]);
});

test('shards that made the same problems are no evaluation together, and the last one says what is lacking', async () => {
  const [first, second] = [await start(1), await start(2, 1)];
  await ends(first, { a: [true], b: [true] });
  expect(await ends(second, { a: [true] })).toMatch(/^again: .*all shards together have 2 of 3 problems/);
  expect(await problems()).toEqual([]);
});

test('one job makes the whole where nobody knows how many problems there are', async () => {
  const of = contextOf({
    benchmarks: recipeSchema.parse(
      recipeOf([], { benchmarks: { addition: { ...addition, data: { tiny: 'problems' } } } }),
    ).benchmarks,
  });
  expect(await open(1, undefined, of)).not.toHaveProperty('shard');
});

test('a trainer that knows nothing of shards makes all problems in each: each counts once', async () => {
  const [first, second] = [await start(1), await start(2, 1)];
  await ends(first, { a: [true], b: [true], c: [true] });
  await ends(second, { a: [true], b: [true], c: [true] });
  expect(await problems()).toEqual([['a', 'b', 'c']]);
});

test('the budget counts the evaluation, not its shards', async () => {
  const tight = { ...context, budgets: { ...context.budgets, evaluations: 1 } };
  expect(await open(1, undefined, tight)).toMatchObject({ of: 1 });
  expect(await open(2, 1, tight)).toMatchObject({ of: 1 });
});

test('problems that share a time are asked by one job', async () => {
  const timed = { ...addition, data: { tiny: 'held-out', rows: 3 }, time: { problemMinutes: 5 } };
  const { benchmarks: own } = recipeSchema.parse(recipeOf([], { benchmarks: { addition: timed } }));
  const ticket = await open(1, undefined, contextOf({ benchmarks: own }));
  expect(ticket).toMatchObject({ title: 'sft evaluation' });
  expect(ticket).not.toHaveProperty('shard');
});
