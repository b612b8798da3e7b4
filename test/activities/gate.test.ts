import { phaseSchema } from '../../configs/schema.ts';
import type { GateVerdict } from '../../decisions/gate.ts';
import { sentencesOfStage } from '../../decisions/gate-sentences.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  parent,
  recipe,
  runId,
  sft,
  startAttempt,
} from '../support/activity-bench.ts';
import { evaluation } from '../support/builders.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
  await bench.ledger.recordCheckpoint({
    ...parent,
    workflowId: 'demo',
    runId: 'run-1',
    phase: 'base',
    attempt: 1,
    parent: null,
    bytes: 1,
    resumable: true,
    finite: true,
    at: '2026-11-29T09:00:00.000Z',
  });
});
afterEach(() => bench.close());

const id = (attempt: number, step: number) => `demo/sft/a${String(attempt)}/checkpoint-${String(step)}`;
const judge = (context = contextOf()) => bench.as(runId).judgeGate({ context });

/** An attempt that saved these steps and ended; complete when it reached 50. */
async function trained(opened: number, steps: readonly number[], notFiniteAt?: number): Promise<void> {
  const attempt = await startAttempt(bench, opened);
  const trainer = fakeTrainer(attempt);
  for (const step of steps) await trainer.saves(step);
  if (notFiniteAt !== undefined) await trainer.says(notFiniteAt, 'training', { loss: null });
  const isDone = steps.includes(50);
  if (isDone) await trainer.finishes();
  const fails = notFiniteAt === undefined ? { exitCode: null, signal: 'SIGKILL' } : { exitCode: 1 };
  bench.backend.end(attempt.job, isDone ? {} : fails);
  await bench.as(runId).judgeAttempt(attempt);
}

/** Of 40 problems, each with four samples, as many right as said. */
async function scored(checkpoint: string, right: number, seed = 1): Promise<void> {
  const one = evaluation(checkpoint)
    .seed(seed)
    .scoring(Array.from({ length: 40 }, () => right))
    .build();
  await bench.ledger.recordEvaluation({
    evaluation: one,
    runId: 'run-1',
    jobName: 't',
    at: '2026-11-29T11:00:00.000Z',
  });
}
const missingOf = (answer: Awaited<ReturnType<typeof judge>>) =>
  answer.kind === 'more-evaluations'
    ? answer.missing.map(({ checkpoint, seed }) => `${checkpoint} ${String(seed)}`)
    : answer.kind;

test('asks for exactly what is missing: each candidate and the parent, with the first seed', async () => {
  await trained(1, [10, 20, 30, 40, 50]);
  await scored(id(1, 40), 3);
  expect(missingOf(await judge())).toEqual([id(1, 50), id(1, 20), parent.id].map((one) => `${one} 1`).sort());
});

test('promotes the best of those that are not worse than the parent, and says why', async () => {
  await trained(1, [20, 40, 50]);
  await scored(parent.id, 1);
  for (const [step, right] of [
    [20, 1],
    [40, 4],
    [50, 3],
  ] as const)
    await scored(id(1, step), right);
  const answer = await judge();
  expect(answer).toMatchObject({ kind: 'promote', checkpoint: { id: id(1, 40), step: 40, format: 'peft' }, score: 1 });
  expect(answer.sentence).toBe(
    `Promoted ${id(1, 40)}: highest on addition with 100.0 %; next is ${id(1, 50)} with 75.0 %.`,
  );
  expect(answer.rows.map(({ checkpoint, verdict }) => [checkpoint, verdict])).toEqual([
    [parent.id, 'none'],
    [id(1, 20), 'passed-over'],
    [id(1, 40), 'promote'],
    [id(1, 50), 'passed-over'],
  ]);
});

test('rejects when every candidate is worse than the parent', async () => {
  await trained(1, [20, 40, 50]);
  await scored(parent.id, 4);
  for (const step of [20, 40, 50]) await scored(id(1, step), 1);
  expect((await judge()).kind).toBe('reject');
});

test('holds when the budget does not reach, with both numbers', async () => {
  await trained(1, [20, 40, 50]);
  await scored(parent.id, 1);
  const context = contextOf({ budgets: { attempts: 5, evaluations: 3, waitMinutes: 60 } });
  const answer = await judge(context);
  expect([answer.kind, answer.sentence]).toEqual([
    'hold',
    'Held: 3 evaluations would be needed, and the budget leaves 2.',
  ]);
});

test('holds what the evidence does not decide where the recipe says so, until a release lets the highest go on', async () => {
  await trained(1, [20, 40, 50]);
  for (const step of [20, 40, 50]) await scored(id(1, step), step === 20 ? 1 : 3);
  const gate = [{ compare: { benchmark: 'addition', undecided: 'hold' } }];
  const evaluate = { every: 20, benchmarks: ['addition'], seeds: 1, maxSeeds: 1 };
  const context = contextOf({ phase: phaseSchema.parse({ ...sft, evaluate, gate }) });
  const held = await judge(context);
  expect(held).toMatchObject({ kind: 'hold', heldAt: { stage: 0 } });
  expect(held.sentence).toContain(`between ${id(1, 40)} and ${id(1, 50)}`);
  const released = await bench.as(runId).judgeGate({
    context,
    releases: [{ stage: 0, contenders: [id(1, 40), id(1, 50)] }],
  });
  expect(released).toMatchObject({ kind: 'promote', checkpoint: { id: id(1, 40) }, score: 0.75 });
});

test('a benchmark that is scored by votes, and what was late or cut, is told with the numbers of each stage', async () => {
  await trained(1, [50]);
  for (const checkpoint of [parent.id, id(1, 50)]) {
    const { problems, ...one } = evaluation(checkpoint).build();
    const [first, ...others] = problems.map((problem) => ({ ...problem, voted: 1 }));
    const unfinished = first === undefined ? [] : [{ ...first, timedOut: 1, truncated: 2 }];
    await bench.ledger.recordEvaluation({
      evaluation: { ...one, problems: [...unfinished, ...others] },
      runId: 'run-1',
      jobName: 't',
      at: '2026-11-29T11:00:00.000Z',
    });
  }
  const { addition } = recipe.benchmarks;
  const benchmarks = { addition: { ...addition, samples: 4, vote: { agreeing: 3 } } } as typeof recipe.benchmarks;
  expect((await judge(contextOf({ benchmarks }))).kind).toBe('promote');
  const [judged] = await bench.ledger.verdictsOf({ runId: 'run-1', phase: 'sft' });
  const lines = (judged?.verdict as GateVerdict).stages.flatMap(sentencesOfStage);
  expect(lines[0]).toContain(
    'on addition (each problem scored by the vote of its samples, which ends when 3 of up to 4 agree):',
  );
  const told = '100.0 % (of its samples 6.3 % not done in time, 12.5 % cut at the limit of tokens)';
  expect(lines.find((line) => line.includes(id(1, 50)) && line.includes('the parent'))).toMatch(
    new RegExp(`${told.replace(/[()]/g, '\\$&')}.*the parent's ${told.replace(/[()]/g, '\\$&')}`),
  );
});

describe('candidates', () => {
  const unjudged = phaseSchema.parse({ ...sft, gate: [] });

  test('are the due checkpoints of the attempt that completed and of those it went on from', async () => {
    await trained(1, [10, 20]);
    await trained(2, [30, 40]);
    await trained(3, [50]);
    expect(missingOf(await judge())).toEqual(
      [id(1, 20), id(2, 40), id(3, 50), parent.id].map((one) => `${one} 1`).sort(),
    );
  });

  test('but not what an attempt wrote after the step that its successor went back to', async () => {
    await trained(1, [20, 40], 40);
    await trained(2, [30, 50]);
    expect(missingOf(await judge())).toEqual([id(1, 20), id(2, 50), parent.id].map((one) => `${one} 1`).sort());
  });

  test('are the last one alone where nothing is evaluated', async () => {
    await trained(1, [20, 40, 50]);
    const { evaluate: _, ...without } = unjudged;
    const answer = await judge(contextOf({ phase: phaseSchema.parse(without) }));
    expect(answer).toMatchObject({ kind: 'promote', checkpoint: { id: id(1, 50) }, score: null });
  });

  test('are none before an attempt completed', async () => {
    await trained(1, [20, 40]);
    expect(await judge()).toMatchObject({ kind: 'hold', sentence: 'Held: there is no candidate to promote.' });
  });
});

test('a verdict is in the ledger once for the same evidence, and again for more', async () => {
  await trained(1, [50]);
  const verdicts = async () => (await bench.ledger.verdictsOf({ runId: 'run-1', phase: 'sft' })).length;
  await judge();
  await judge();
  expect(await verdicts()).toBe(1);
  await scored(parent.id, 1);
  await judge();
  expect(await verdicts()).toBe(2);
});
