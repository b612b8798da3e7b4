import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptTicket } from '../../activities/attempts.ts';
import type { JobRef } from '../../activities/backend.ts';
import type { EvaluationKey } from '../../decisions/evaluation.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  created,
  runId,
  startAttempt,
} from '../support/activity-bench.ts';
import type { PhaseContext } from '../../workflows/contract.ts';
import { addition, leastPhases, recipeOf } from '../support/recipes.ts';
import { fakeTrainer, type FakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
const context = contextOf({
  benchmarks: { addition: { ...contextOf().benchmarks['addition'], samples: 2 } } as PhaseContext['benchmarks'],
});
const id = (step: number) => `demo/sft/a1/checkpoint-${String(step)}`;
const key = (step: number, seed = 1): EvaluationKey => ({
  checkpoint: id(step),
  benchmark: 'addition',
  version: 1,
  seed,
});
const right = { '1+1': [true, true], '2+2': [true, false] };

beforeEach(async () => {
  bench = await activityBench();
  const attempt = await startAttempt(bench);
  for (const step of [20, 40]) await fakeTrainer(attempt).saves(step);
  for (const seenSteps of [[], [20]]) await bench.as(runId).awaitJob({ ...attempt, seenSteps });
});
afterEach(() => bench.close());

async function open(evaluations: EvaluationKey[], opened = 1): Promise<AttemptTicket | null> {
  const ticket = await ask(evaluations, opened);
  if (ticket !== null && 'spent' in ticket) throw new Error(ticket.spent);
  return ticket;
}
const ask = (evaluations: EvaluationKey[], opened = 1, of = context) =>
  bench.as('evaluation-run').openEvaluation({ context: of, title: 'sft step 20', evaluations, opened });
const evaluations = (...steps: number[]) => bench.ledger.evaluationsOf(steps.map(id));

interface Started {
  readonly ticket: AttemptTicket;
  readonly job: JobRef;
  readonly trainer: FakeTrainer;
}
async function start(keys: EvaluationKey[], opened = 1): Promise<Started> {
  const ticket = await open(keys, opened);
  if (ticket === null) throw new Error('nothing to evaluate');
  const job = created(await bench.as('evaluation-run').submitJob({ context, ticket }));
  return { ticket, job, trainer: fakeTrainer({ context, ticket, job }) };
}
const judge = ({ ticket, job }: Started, attempts = [ticket.number]) =>
  bench.as('evaluation-run').judgeEvaluation({ context, ticket, job, attempts });

describe('openEvaluation', () => {
  test('its job says which checkpoints it looks at, on what: its number alone would read as a retry', async () => {
    await start([key(20), key(20, 2), key(40)]);
    expect(bench.backend.submitted.at(-1)?.labels).toMatchObject({
      kind: 'evaluate',
      checkpoints: ['sft-20', 'sft-40'],
      benchmarks: ['addition'],
    });
  });

  test('writes the request that the trainer contract describes', async () => {
    const ticket = await open([key(20), key(40, 2)]);
    const request = JSON.parse(await readFile(join(ticket?.directory ?? '', 'request.json'), 'utf8')) as unknown;
    const checkpoint = await bench.ledger.checkpoint(id(20));
    expect(request).toMatchObject({
      contract: 1,
      job: ticket?.jobName,
      kind: 'evaluate',
      attempt: 1,
      params: {},
      data: null,
      start: null,
      resume: null,
      targetStep: 2,
      outputDirectory: ticket?.directory,
      evaluations: [
        {
          key: 'addition@1/seed-1/demo/sft/a1/checkpoint-20',
          checkpoint: { id: id(20), path: checkpoint?.path, format: 'peft', base: checkpoint?.base, digest: null },
          benchmark: {
            name: 'addition',
            version: 1,
            data: { tiny: 'held-out', longShare: 1 },
            grader: 'boxed-integer',
            samples: 2,
            temperature: 1,
            maxTokens: 1024,
          },
          seed: 1,
          output: 'outcomes/0001.jsonl',
          earlierOutputs: [],
        },
        { key: 'addition@1/seed-2/demo/sft/a1/checkpoint-40', seed: 2, output: 'outcomes/0002.jsonl' },
      ],
    });
  });

  test('counts apart from the attempts of the training, and the same for an activity that is tried again', async () => {
    const first = await open([key(20)]);
    expect(await open([key(20)])).toEqual(first);
    expect((await open([key(20)], 2))?.number).toBe(2);
    expect(first?.directory).toMatch(/sft\/evaluations\/1$/);
  });

  test('asks only for what the ledger does not have, and for nothing when it has all', async () => {
    const started = await start([key(20)]);
    await started.trainer.evaluates('outcomes/0001.jsonl', right);
    await started.trainer.finishes();
    bench.backend.end(started.job);
    await judge(started);
    expect(await open([key(20), key(40)], 2)).toMatchObject({ of: 1 });
    expect(await open([key(20)], 3)).toBeNull();
  });

  test('refuses a checkpoint that is not in the ledger, for good', async () => {
    await expect(open([key(30)])).rejects.toMatchObject({
      type: 'not-found',
      nonRetryable: true,
      message: `no checkpoint "${id(30)}" is in the ledger`,
    });
  });
});

describe('the budget of the whole pipeline', () => {
  const of = (evaluations: number) => ({ ...context, budgets: { ...context.budgets, evaluations } });

  test('counts what is made and what is on its way, of all phases together', async () => {
    const other = {
      checkpoint: 'demo/other/a1/checkpoint-1',
      benchmark: 'addition',
      version: 1,
      seed: 1,
      problems: [],
    };
    await bench.ledger.recordEvaluation({
      evaluation: other,
      runId: 'run-1',
      jobName: 'other',
      at: '2026-11-29T10:00:00Z',
    });
    expect(await ask([key(20)], 1, of(3))).toMatchObject({ of: 1 });
    const spent = await ask([key(40), key(40, 2)], 2, of(3));
    expect(spent).toEqual({
      spent:
        'The evaluation budget is spent: 1 of 3 (budgets.evaluations, all phases together) are made and 1 are being made, and 2 more were asked for',
    });
    expect(await ask([key(40)], 3, of(3))).toMatchObject({ of: 1 });
  });

  test('has no room: nothing is opened, and asked again the answer is the same', async () => {
    const spent = await ask([key(20)], 1, { ...of(1), budgets: { ...context.budgets, evaluations: 0 } });
    expect(spent).toEqual({
      spent: expect.stringMatching(/^The evaluation budget is spent: 0 of 0 .*1 more was asked for$/) as string,
    });
    expect(await ask([key(20)], 1, of(5))).toEqual({ spent: expect.stringMatching(/budget was spent when/) as string });
    const attempts = await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft', purpose: 'evaluate' });
    expect(attempts.map(({ state }) => state)).toEqual(['cancelled']);
  });
});

describe('a benchmark that is another one under the same name and version', () => {
  const other = {
    ...context,
    benchmarks: { addition: { ...context.benchmarks['addition'], samples: 4 } },
  } as typeof context;
  const openOther = (change: Partial<typeof context> = {}) =>
    bench.as('other-run').openEvaluation({
      context: { ...other, ...change },
      title: 'another sft step 20 on addition',
      evaluations: [key(20, 2)],
      opened: 1,
    });
  const wanted = {
    type: 'invalid-input',
    nonRetryable: true,
    message: expect.stringMatching(
      /^benchmarks\.addition\.samples: is 4 and was 2 when version 1 was evaluated: set benchmarks\.addition\.version to 2/,
    ) as string,
  };

  test('is not evaluated, whoever asks first', async () => {
    await open([key(20)]);
    await expect(openOther()).rejects.toMatchObject(wanted);
    expect(await open([key(40)], 2)).toMatchObject({ of: 1 });
  });

  test('is refused before anything starts, also by a plan', async () => {
    await open([key(20)]);
    const recipe = recipeOf([{ ...leastPhases.sft, evaluate: { benchmarks: ['addition'] } }], {
      benchmarks: { addition: { ...addition, samples: 4 } },
    });
    await expect(bench.as(runId).resolvePipeline({ recipe })).rejects.toMatchObject(wanted);
    const plan = bench.ask({ question: 'plan', input: { recipe } });
    await expect(plan).rejects.toMatchObject({ code: wanted.type, message: wanted.message });
    const set = { 'benchmarks.addition.version': 2 };
    expect(await bench.as(runId).resolvePipeline({ recipe, set })).toMatchObject({ recipe: { name: 'small' } });
  });

  test('counts for nothing while no phase is evaluated on it', async () => {
    await open([key(20)]);
    const recipe = recipeOf([], { benchmarks: { addition: { ...addition, samples: 4 } } });
    expect(await bench.as(runId).resolvePipeline({ recipe })).toMatchObject({ recipe: { name: 'small' } });
  });
});

describe('judgeEvaluation', () => {
  test('records each evaluation exactly once, with one outcome per problem', async () => {
    const started = await start([key(20), key(40)]);
    await started.trainer.evaluates('outcomes/0001.jsonl', right);
    await started.trainer.evaluates('outcomes/0002.jsonl', { '1+1': [false, false] });
    await started.trainer.finishes();
    bench.backend.end(started.job);
    const first = await judge(started);
    expect(first).toEqual({ kind: 'completed', sentence: '2 evaluations recorded', delaySeconds: 0 });
    expect(await judge(started)).toEqual(first);
    const [twenty, forty] = await evaluations(20, 40);
    expect(twenty).toMatchObject({
      ...key(20),
      problems: [
        { problem: '1+1', samples: 2, correct: 2, tokens: 20, correctAnswers: [true, true] },
        { problem: '2+2', samples: 2, correct: 1, answers: ['right', null] },
      ],
    });
    expect(forty).toMatchObject({ ...key(40), problems: [{ samples: 2, correct: 0 }] });
    expect(await bench.ledger.evaluationCountOf('run-1')).toBe(2);
  });

  test('the type of a problem, where its rows have one', async () => {
    const started = await start([key(20)]);
    const row = { problem: '1+1', sample: 0, correct: true, answer: '2', tokens: 3, truncated: false, seconds: 0.1 };
    await started.trainer.evaluates('outcomes/0001.jsonl', {});
    const rows = [
      { ...row, type: 'sums' },
      { ...row, problem: '2-2' },
    ].flatMap((one) => [0, 1].map((sample) => JSON.stringify({ ...one, sample })));
    await writeFile(join(started.ticket.directory, 'outcomes', '0001.jsonl'), `${rows.join('\n')}\n`);
    await started.trainer.finishes();
    bench.backend.end(started.job);
    await judge(started);
    const [twenty] = await evaluations(20);
    expect(twenty?.problems.map(({ problem, type }) => [problem, type])).toEqual([
      ['1+1', 'sums'],
      ['2-2', undefined],
    ]);
  });

  test('also what a job finished that failed later: the next one makes the rest', async () => {
    const started = await start([key(20), key(40)]);
    await started.trainer.evaluates('outcomes/0001.jsonl', right);
    bench.backend.end(started.job, { exitCode: null, signal: 'SIGKILL' });
    const judged = await judge(started);
    expect(judged).toMatchObject({ kind: 'again', delaySeconds: 1 });
    expect(await evaluations(20, 40)).toMatchObject([key(20)]);
    const next = await start([key(20), key(40)], 2);
    expect(next.ticket.of).toBe(1);
  });

  test('what a killed job has kept is handed to the next, and each new problem is progress: three kills are not the end', async () => {
    const numbers: number[] = [];
    const judged = [];
    for (const opened of [1, 2, 3, 4]) {
      const started = await start([key(40), key(20)], opened);
      numbers.push(started.ticket.number);
      await started.trainer.keeps('outcomes/0002.jsonl', 2);
      bench.backend.end(started.job, { exitCode: 1, lastLines: ['ValueError: ever the same'] });
      judged.push(await judge(started, [...numbers]));
    }
    expect(judged.map(({ kind }) => kind)).toEqual(['again', 'again', 'again', 'again']);
    expect(judged[0]?.sentence).toContain('after 0 of 2 evaluations, 2 problems kept');
    const last = await open([key(20)], 5);
    const request = JSON.parse(await readFile(join(last?.directory ?? '', 'request.json'), 'utf8')) as unknown;
    const earlier = numbers.map(
      (number) => expect.stringMatching(`/sft/evaluations/${String(number)}/outcomes/0002.jsonl$`) as string,
    );
    expect(request).toMatchObject({ evaluations: [{ output: 'outcomes/0001.jsonl', earlierOutputs: earlier }] });
  });

  test('gives up on what no retry mends, and after the same cause three times', async () => {
    const hopeless = await start([key(20)]);
    await hopeless.trainer.finishes({ status: 'failed', reason: 'data', message: 'no such file: sums.jsonl' });
    bench.backend.end(hopeless.job, { exitCode: 65 });
    const judged = await judge(hopeless);
    expect([judged.kind, judged.sentence]).toEqual(['fail', expect.stringContaining('no such file: sums.jsonl')]);
    const kinds = [];
    const numbers: number[] = [];
    for (const opened of [2, 3, 4]) {
      const started = await start([key(20)], opened);
      numbers.push(started.ticket.number);
      bench.backend.end(started.job, { exitCode: 1, lastLines: ['ValueError: ever the same'] });
      kinds.push((await judge(started, [...numbers])).kind);
    }
    expect(kinds).toEqual(['again', 'again', 'fail']);
  });

  test('an evaluation that failed is charged to no attempt of the training', async () => {
    const started = await start([key(20)]);
    bench.backend.end(started.job, { exitCode: 1 });
    await judge(started);
    expect(await bench.ledger.incidentsOf({ runId: 'run-1', phase: 'sft' })).toEqual([]);
    expect(await bench.ledger.incidentsOf({ runId: 'run-1', phase: 'sft', purpose: 'evaluate' })).toHaveLength(1);
  });
});
