import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { phaseSchema } from '../../configs/schema.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  parent,
  runId,
  sft,
  startAttempt,
} from '../support/activity-bench.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';
import { basePhase, leastPhases } from '../support/recipes.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const context = contextOf();
const wish = { context, opened: 1 };
const requestIn = async (directory: string) =>
  JSON.parse(await readFile(join(directory, 'request.json'), 'utf8')) as Record<string, unknown>;

describe('the number of an attempt', () => {
  test('is the same for an activity that is tried again, with all that follows from it', async () => {
    const first = await bench.as(runId).openAttempt(wish);
    const again = await bench.as(runId).openAttempt(wish);
    expect(again).toEqual(first);
    expect(await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' })).toHaveLength(1);
  });

  test('is the next one for the next attempt', async () => {
    const numbers = [];
    for (const opened of [1, 2, 3]) numbers.push((await bench.as(runId).openAttempt({ ...wish, opened })).number);
    expect(numbers).toEqual([1, 2, 3]);
  });

  test('is a new one for a workflow id that is started anew: it never adopts a dead attempt 1', async () => {
    const first = await startAttempt(bench);
    await fakeTrainer(first).saves(10);
    const anew = contextOf({ runId: 'run-2' });
    const ticket = await bench.as('phase-run-2').openAttempt({ ...wish, context: anew });
    expect(ticket).toMatchObject({ number: 2, resumeStep: 10 });
    expect([ticket.directory, ticket.jobName]).not.toEqual([first.ticket.directory, first.ticket.jobName]);
  });

  test('of a run started anew with another learning rate begins at step 0', async () => {
    await fakeTrainer(await startAttempt(bench)).saves(10);
    const { phase } = contextOf();
    const changed = { ...phase, params: { ...phase.params, learningRate: 1e-5 } } as typeof phase;
    const anew = contextOf({ runId: 'run-2', phase: changed });
    const ticket = await bench.as('phase-run-2').openAttempt({ ...wish, context: anew });
    expect(ticket).toMatchObject({ number: 2, resumeStep: 0 });
  });

  test('two that open at once get two, and two directories', async () => {
    const [one, other] = await Promise.all([
      bench.as('phase-run-1').openAttempt(wish),
      bench.as('phase-run-2').openAttempt(wish),
    ]);
    expect(new Set([one.number, other.number])).toEqual(new Set([1, 2]));
    expect(one.directory).not.toBe(other.directory);
  });
});

test('a pipeline that was resolved before a field was there asks with its default', async () => {
  const { warmupSteps: _, ...older } = sft.params as { readonly warmupSteps?: number };
  const phase = { ...sft, params: older } as typeof sft;
  const { directory } = await bench.as(runId).openAttempt({ ...wish, context: contextOf({ phase }) });
  expect(await requestIn(directory)).toMatchObject({ params: { ...older, warmupSteps: 3 } });
});

test('the job of an attempt that its phase has forgotten in a reset is stopped before the next begins, which goes on from what it saved', async () => {
  const first = await startAttempt(bench);
  bench.backend.run(first.job);
  await fakeTrainer(first).saves(10);
  const ticket = await bench.as('phase-run-2').openAttempt(wish);
  expect(bench.backend.stopped).toEqual([{ job: first.job.name, reason: 'cancel', graceSeconds: 7 }]);
  expect(ticket).toMatchObject({ number: 2, resumeStep: 10 });
  const [forgotten] = await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' });
  expect(forgotten).toMatchObject({ number: 1, state: 'cancelled' });
  await bench.as('phase-run-2').openAttempt(wish);
  expect(bench.backend.stopped).toHaveLength(1);
});

describe('where an attempt starts', () => {
  test('at the start of the phase when there is nothing', async () => {
    const ticket = await bench.as(runId).openAttempt(wish);
    expect(ticket).toMatchObject({ resumeStep: 0, asked: { resume: null, start: { digest: parent.digest } } });
    expect(ticket.sentence).toBe("Starts at the phase's start: there is no checkpoint to go on from.");
  });

  test('at the start of the phase where a person had it begin anew, who and why; the one after it has nothing', async () => {
    await fakeTrainer(await startAttempt(bench)).saves(10);
    const { pipelineId, runId: of } = context;
    await bench.as(of).recordSteering({
      ...{ pipelineId, runId: of, phase: 'sft', id: 'one' },
      request: { message: 'retryPhase', set: { 'params.learningRate': 0.1 } },
      by: { by: 'ann', reason: 'it was too slow' },
    });
    const words = async (opened: number) => (await bench.as('phase-run-2').openAttempt({ context, opened })).sentence;
    expect(await words(1)).toBe(
      "Starts at the phase's start: ann had it begin anew with params.learningRate 0.1: it was too slow.",
    );
    expect(await words(1)).toMatch(/ann had it begin anew/);
    expect(await words(2)).toBe("Starts at the phase's start: there is no checkpoint to go on from.");
  });

  test('at the newest checkpoint that is whole; a torn one is passed over and named', async () => {
    const first = await startAttempt(bench);
    const trainer = fakeTrainer(first);
    const path = await trainer.saves(10);
    await trainer.tears(20);
    const ticket = await bench.as(runId).openAttempt({ ...wish, opened: 2 });
    const digest = (await bench.store.inspect(path))?.seal?.digest;
    expect(ticket).toMatchObject({ resumeStep: 10, asked: { resume: { step: 10, digest } } });
    expect(ticket.sentence).toMatch(
      /^Goes on from demo\/sft\/a1\/checkpoint-10 at step 10\..*checkpoint-20 is not complete \(adapter_model\.safetensors is cut/,
    );
    expect(await requestIn(ticket.directory)).toMatchObject({ resume: { path, step: 10, digest } });
  });

  test('before numbers that were not finite', async () => {
    const first = await startAttempt(bench);
    await fakeTrainer(first).saves(10);
    await fakeTrainer(first).says(15, 'training', { loss: null });
    await fakeTrainer(first).saves(20);
    expect((await bench.as(runId).openAttempt({ ...wish, opened: 2 })).resumeStep).toBe(10);
  });

  test('is in the ledger with what it was passed over for', async () => {
    const first = await startAttempt(bench);
    await fakeTrainer(first).saves(10);
    await fakeTrainer(first).tears(20);
    await bench.as(runId).openAttempt({ ...wish, opened: 2 });
    const decisions = await bench.ledger.decisionsOf({ runId: 'run-1', phase: 'sft' });
    expect(decisions.map(({ question, attempt, answer }) => [question, attempt, answer])).toEqual([
      ['resume-point', 1, { kind: 'restart', skipped: [] }],
      [
        'resume-point',
        2,
        expect.objectContaining({
          kind: 'resume',
          skipped: [expect.objectContaining({ id: 'demo/sft/a1/checkpoint-20', step: 20 })],
        }),
      ],
    ]);
  });
});

describe('request.json is what docs/reference/trainer-contract.md says', () => {
  test('of a phase with a start and data', async () => {
    const ticket = await bench.as(runId).openAttempt(wish);
    expect(await requestIn(ticket.directory)).toEqual({
      contract: 1,
      job: ticket.jobName,
      pipeline: 'demo',
      phase: 'sft',
      kind: 'sft',
      attempt: 1,
      seed: 1,
      model: { tiny: { seed: 1 } },
      params: sft.params,
      data: { tiny: 'solutions', longShare: 1 },
      start: {
        id: parent.id,
        path: parent.path,
        format: 'hf',
        base: null,
        digest: parent.digest,
      },
      resume: null,
      changes: [],
      targetStep: 50,
      outputDirectory: ticket.directory,
      evaluations: [],
    });
  });

  test('has exactly the fields of the page', async () => {
    const page = await readFile(new URL('../../docs/reference/trainer-contract.md', import.meta.url), 'utf8');
    const [sample = ''] = page.match(/```jsonc\n\{[^]*?\n```/) ?? [];
    const fields = [...sample.replaceAll(/\/\/.*$|\/\*.*?\*\//gm, '').matchAll(/(?:^ {2}|, )"(\w+)":/gm)];
    const ticket = await bench.as(runId).openAttempt(wish);
    const written = Object.keys(await requestIn(ticket.directory));
    expect(fields.map(([, name]) => name)).toEqual(expect.arrayContaining(written));
  });

  test.each([
    {
      title: 'a base starts from nothing',
      phase: phaseSchema.parse({ ...basePhase, params: { steps: 160 } }),
      want: { start: null, data: null, targetStep: 160 },
    },
    {
      title: 'a merge trains nothing',
      phase: phaseSchema.parse(leastPhases.bake),
      want: { data: null, targetStep: 0, params: { experts: 'refuse' } },
    },
  ])('$title', async ({ phase, want }) => {
    const own = contextOf({ phase, start: phase.kind === 'base' ? null : parent });
    const ticket = await bench.as(runId).openAttempt({ ...wish, context: own });
    expect(await requestIn(ticket.directory)).toMatchObject(want);
    expect(ticket.asked.trains).toBe(phase.kind === 'base');
  });
});

test('the ledger has the attempt queued with its request, and the phase running', async () => {
  const ticket = await bench.as(runId).openAttempt(wish);
  const [attempt] = await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' });
  expect(attempt).toMatchObject({
    state: 'queued',
    runId: 'run-1',
    jobName: ticket.jobName,
    directory: ticket.directory,
    request: await requestIn(ticket.directory),
  });
  expect(await bench.ledger.phasesOf('run-1')).toMatchObject([{ phase: 'sft', state: 'running', position: 1 }]);
});

test('due steps are those that evaluate.every names, and the last', async () => {
  expect((await bench.as(runId).openAttempt(wish)).dueSteps).toEqual([20, 40, 50]);
});
