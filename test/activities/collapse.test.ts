import type { Activities } from '../../activities/index.ts';
import { phaseSchema } from '../../configs/schema.ts';
import type { PhaseContext } from '../../workflows/contract.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  runId,
  sft,
  startAttempt,
  type StartedAttempt,
} from '../support/activity-bench.ts';
import { evaluation } from '../support/builders.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
let attempt: StartedAttempt;
const contextThat = (onCollapse: string, more: Partial<PhaseContext> = {}) =>
  contextOf({ phase: phaseSchema.parse({ ...sft, gate: [], onCollapse }), ...more });
const context = contextThat('stop');
const id = (step: number, number = 1) => `demo/sft/a${String(number)}/checkpoint-${String(step)}`;
const judge = (of = context) => bench.as(runId).judgeCollapse({ context: of });

beforeEach(async () => {
  bench = await activityBench();
  await begin(context);
});
afterEach(() => bench.close());

/** An attempt that saved 20 and 40, with a reward that rises. */
async function begin(of: PhaseContext, opened = 1): Promise<void> {
  attempt = await startAttempt(bench, opened, { context: of });
  const trainer = fakeTrainer(attempt);
  for (const step of [20, 40]) {
    await trainer.says(step, 'training', { loss: 0.5, reward: step / 50 });
    await trainer.saves(step);
  }
}

/** Of 40 problems, each with four samples, as many right as said. */
async function scored(step: number, right: number, { seed = 1, attempt: number = 1 } = {}): Promise<void> {
  const scores = Array.from({ length: 40 }, () => right);
  await bench.ledger.recordEvaluation({
    evaluation: evaluation(id(step, number)).seed(seed).scoring(scores).build(),
    runId: 'run-1',
    jobName: 't',
    at: '2026-11-29T11:00:00.000Z',
  });
}

async function fell(of = context) {
  await scored(20, 3);
  await scored(40, 1);
  const collapse = await judge(of);
  if (collapse === null) throw new Error('it goes on');
  return collapse;
}

test('a fall is a collapse, with the scores, what the trainer said meanwhile, and where to go back to', async () => {
  expect(await fell()).toEqual({
    goBackTo: { attempt: 1, step: 20 },
    sentence: expect.stringMatching(
      /^The run is collapsing at step 40: addition from 75\.0 to 25\.0 % .*; meanwhile reward 0\.40 → 0\.80\. Go back to step 20\.$/,
    ) as string,
  });
});

test.each([
  { title: 'one look', looks: [[20, 3]] },
  {
    title: 'scores that stay',
    looks: [
      [20, 3],
      [40, 3],
    ],
  },
  {
    title: 'scores that rise',
    looks: [
      [20, 1],
      [40, 3],
    ],
  },
] as const)('$title are none, and nothing is recorded', async ({ looks }) => {
  for (const [step, right] of looks) await scored(step, right);
  expect(await judge()).toBeNull();
  const questions = (await bench.ledger.decisionsOf({ runId: 'run-1', phase: 'sft' })).map(({ question }) => question);
  expect(questions).not.toContain('collapse');
});

test('a checkpoint whose first seeds are not all there is not looked at yet', async () => {
  const evaluate = { every: 20, benchmarks: ['addition'], seeds: 2, maxSeeds: 2 };
  const of = contextOf({ phase: phaseSchema.parse({ ...sft, evaluate, onCollapse: 'stop' }) });
  for (const seed of [1, 2]) await scored(20, 3, { seed });
  await scored(40, 1);
  expect(await judge(of)).toBeNull();
  await scored(40, 1, { seed: 2 });
  expect(await judge(of)).not.toBeNull();
});

test('whoever judges again, as after a kill, says the same, whatever came in meanwhile; it is explained', async () => {
  const first = await fell();
  await scored(20, 0, { seed: 2 });
  expect(await judge()).toEqual(first);
  await bench.ledger.openPipeline({
    ...{ workflowId: 'demo', runId: 'run-1', recipe: 'small', identity: 'i', resolved: {} },
    at: '2026-11-29T09:00:00.000Z',
  });
  const { phases } = await bench.ask({ question: 'explain', pipeline: 'demo' });
  const events = phases[0]?.events ?? [];
  expect(events.filter(({ about }) => about === 'collapse')).toMatchObject([{ attempt: 1, sentence: first.sentence }]);
});

test('the attempt that is stopped for it is cancelled, costs no attempt, and the gate promotes what came before', async () => {
  const { goBackTo } = await fell();
  bench.backend.run(attempt.job);
  await bench.as(runId).stopJob({ ...attempt, reason: 'collapse' });
  expect(await bench.as(runId).judgeAttempt(attempt)).toMatchObject({ kind: 'stopped', step: 40 });
  const [stopped] = await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' });
  expect(stopped).toMatchObject({ state: 'cancelled', evidence: { stoppedByTemper: 'collapse' } });
  expect(await bench.ledger.incidentsOf({ runId: 'run-1', phase: 'sft' })).toEqual([]);
  const judged = await bench.as(runId).judgeGate({ context, upTo: goBackTo });
  expect(judged).toMatchObject({ kind: 'promote', checkpoint: { id: id(20) } });
});

test('one that was done before it could be stopped is judged as any', async () => {
  await fell();
  const trainer = fakeTrainer(attempt);
  await trainer.saves(50);
  await trainer.finishes();
  bench.backend.end(attempt.job);
  await bench.as(runId).stopJob({ ...attempt, reason: 'collapse' });
  expect((await bench.as(runId).judgeAttempt(attempt)).kind).toBe('completed');
});

test('a person has the phase begin anew: what fell before is no word on what is trained now', async () => {
  const first = await fell();
  await bench.as(runId).stopJob({ ...attempt, reason: 'collapse' });
  const set = { 'params.learningRate': 0.00001 };
  await bench.as(runId).recordSteering({
    ...{ pipelineId: 'demo', runId: 'run-1', phase: 'sft', id: 'update-1', by: {} },
    request: { message: 'retryPhase', set },
  });
  const params = { ...(sft.params as object), learningRate: 0.00001 };
  const anew = contextOf({ phase: phaseSchema.parse({ ...sft, params, gate: [], onCollapse: 'stop' }) });
  await begin(anew, 2);
  expect(attempt.ticket).toMatchObject({ number: 2, resumeStep: 0 });
  await scored(20, 1, { attempt: 2 });
  expect(await judge(anew)).toBeNull();
  await scored(20, 3, { attempt: 2, seed: 2 });
  await scored(40, 0, { attempt: 2 });
  const second = await judge(anew);
  expect(second?.goBackTo).toEqual({ attempt: 2, step: 20 });
  expect(second).not.toEqual(first);
  expect(await judge(anew)).toEqual(second);
});

type Release = Omit<Parameters<Activities['recordRelease']>[0], 'context'>;

describe('a pipeline that is started again', () => {
  const again = async (onCollapse: string) => {
    bench.pass(60);
    const of = contextThat(onCollapse, { runId: 'run-2' });
    return (await startAttempt(bench, 1, { context: of, run: 'phase-run-2' })).ticket;
  };

  test('goes on from before the fall', async () => {
    await fell();
    const { resumeStep, sentence } = await again('stop');
    expect(resumeStep).toBe(20);
    expect(sentence).toContain(`${id(40)} lies at step 40, and only checkpoints before step 21 are trusted.`);
  });

  test.each<{ title: string; onCollapse: string; step: number; release: Release | null }>([
    { title: 'a person waved it through', onCollapse: 'hold', step: 40, release: { heldFor: 'collapse' } },
    { title: 'nobody did', onCollapse: 'hold', step: 20, release: null },
    {
      title: 'nobody came',
      onCollapse: 'hold',
      step: 20,
      release: { heldFor: 'collapse', nobodyCame: 'highest', release: { by: 'the recipe' } },
    },
    { title: 'a person released another hold', onCollapse: 'hold', step: 20, release: { heldFor: 'failure' } },
    { title: 'it was only told', onCollapse: 'tell', step: 40, release: null },
  ])('goes on from step $step where $title ($onCollapse)', async ({ onCollapse, step, release }) => {
    await bench.close();
    bench = await activityBench();
    const of = contextThat(onCollapse);
    await begin(of);
    await fell(of);
    if (release) await bench.as(runId).recordRelease({ context: of, hold: 1, ...release });
    expect((await again(onCollapse)).resumeStep).toBe(step);
  });
});
