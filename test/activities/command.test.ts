/** A phase of kind `command` from its request to its promotion, on a real store with a backend in memory. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Phase, phaseSchema } from '../../configs/schema.ts';
import { computeSeal, writeSeal } from '../../store/seal.ts';
import type { PhaseContext } from '../../workflows/contract.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  runId,
  startAttempt,
  type StartedAttempt,
} from '../support/activity-bench.ts';
import { eventually } from '../support/eventually.ts';
import { cut, peftFiles, safetensors, trainerState, write } from '../store/checkpoint-fixtures.ts';
import { foreign, recipeOf } from '../support/recipes.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const phaseWith = (params: object = {}): Phase =>
  phaseSchema.parse({ ...foreign, params: { ...foreign.params, ...params } });
const contextWith = (params: object = {}): PhaseContext => contextOf({ phase: phaseWith(params) });

const history = (...steps: number[]) =>
  steps.map((step) => `{"step": ${String(step)}, "loss": ${String(1 / step)}}`).join(', ');

/** An adapter of this step, trained so far, as the Hugging Face Trainer leaves it. */
const saved = (step: number, rows: readonly number[]) => ({
  ...peftFiles(step),
  'adapter_model.safetensors': Buffer.concat([
    safetensors({ 'lora_A.weight': 16, 'lora_B.weight': 16 }).subarray(0, -1),
    Buffer.from([step]),
  ]),
  'trainer_state.json': trainerState(step, history(...rows)),
});
const save = ({ ticket }: StartedAttempt, step: number, rows: readonly number[]) =>
  write(join(ticket.directory, 'output', `checkpoint-${String(step)}`), saved(step, rows));
const log = ({ ticket }: StartedAttempt, text: string) => writeFile(join(ticket.directory, 'log.txt'), text);
const requestIn = async ({ ticket }: StartedAttempt) =>
  JSON.parse(await readFile(join(ticket.directory, 'request.json'), 'utf8')) as {
    command: { argv: string[]; workingDirectory: string };
  };
const killed = { exitCode: null, signal: 'SIGKILL' };

/** A first attempt that was killed after step 20. */
async function killedAt20(context: PhaseContext): Promise<StartedAttempt> {
  const attempt = await startAttempt(bench, 1, { context });
  await save(attempt, 10, [5, 10]);
  await save(attempt, 20, [5, 10, 15, 20]);
  bench.backend.end(attempt.job, killed);
  expect(await bench.as(runId).judgeAttempt(attempt)).toMatchObject({ kind: 'resume' });
  return attempt;
}

/** The last checkpoint of the phase, and what promotes it. */
async function lastCheckpoint(context: PhaseContext) {
  const record = (await bench.ledger.checkpointsOf({ runId: context.runId, phase: 'tuned' })).at(-1);
  if (record === undefined) throw new Error('no checkpoint is recorded');
  const { id, path, format, base, step, digest } = record;
  const checkpoint = { id, path, format, base, step, digest };
  return { ...checkpoint, promote: () => bench.as(runId).promote({ context, checkpoint, because: 'x', score: null }) };
}

async function trainedToTheEnd() {
  const context = contextWith();
  const attempt = await startAttempt(bench, 1, { context });
  await save(attempt, 50, [50]);
  bench.backend.end(attempt.job);
  await bench.as(runId).judgeAttempt(attempt);
  return await lastCheckpoint(context);
}

test('the job runs the command of the recipe, in its own folder, on a slot for each process', async () => {
  const context = contextWith({ processes: 2 });
  const attempt = await startAttempt(bench, 1, { context });
  const output = join(attempt.ticket.directory, 'output');
  const command = {
    argv: ['python', 'train.py', '--output_dir', output],
    env: { PYTHONUNBUFFERED: '1' },
    workingDirectory: output,
    image: null,
  };
  expect(bench.backend.submitted).toMatchObject([{ slots: 2, command }]);
});

test('a killed one goes on from its newest complete checkpoint by its exact path; the torn one is named', async () => {
  const context = contextWith();
  const first = await startAttempt(bench, 1, { context });
  await save(first, 10, [5, 10]);
  await cut(join(await save(first, 20, [5, 10, 15, 20]), 'optimizer.pt'));
  bench.backend.end(first.job, killed);
  await bench.as(runId).judgeAttempt(first);
  const second = await startAttempt(bench, 2, { context });
  const checkpoint = join(first.ticket.directory, 'checkpoints', 'checkpoint-10');
  expect((await requestIn(second)).command.argv.slice(-2)).toEqual(['--resume_from_checkpoint', checkpoint]);
  expect(second.ticket.sentence).toContain(
    'at step 10. demo/tuned/a1/checkpoint-20 is not complete (optimizer.pt is cut',
  );
});

test('one whose node is lost writes and rotates on: what the next one goes on from stays, and nothing more of it counts', async () => {
  const context = contextWith();
  const first = await startAttempt(bench, 1, { context });
  await save(first, 10, [5, 10]);
  await save(first, 20, [5, 10, 15, 20]);
  const lost = bench.held().activities.awaitJob({ ...first, seenSteps: [] });
  await bench.backend.awaited();
  bench.backend.loseNode(first.job, 'gpu-7');
  expect(await lost).toMatchObject({ kind: 'lost' });
  await bench.as(runId).stopJob({ ...first, reason: 'node-lost' });
  expect(await bench.as(runId).judgeAttempt(first)).toMatchObject({ kind: 'resume' });
  const second = await startAttempt(bench, 2, { context });
  expect(second.ticket.resumeStep).toBe(20);
  const resumed = second.ticket.asked.resume?.path ?? '';

  for (const step of [30, 40, 50]) await save(first, step, [5, 10, 15, 20, step]);
  for (const step of [10, 20])
    await rm(join(first.ticket.directory, 'output', `checkpoint-${String(step)}`), { recursive: true });
  await save(second, 30, [5, 10, 15, 20, 30]);
  bench.backend.end(second.job, killed);
  await bench.as(runId).judgeAttempt(second);
  const third = await startAttempt(bench, 3, { context });
  expect(third.ticket.asked.resume?.path).toBe(join(second.ticket.directory, 'checkpoints', 'checkpoint-30'));
  expect(await bench.store.inspect(resumed)).toMatchObject({ level: 'complete' });
});

test('it is done when the last step is saved, whatever its exit code; then it is sealed by a job and promoted', async () => {
  const context = contextWith();
  await killedAt20(context);
  const second = await startAttempt(bench, 2, { context });
  await save(second, 50, [5, 10, 15, 20, 25, 50]);
  await log(second, ' 42%|████  | 21/50 [00:00<00:05, 5it/s]\r100%|██████| 50/50 [00:09<00:00, 5it/s]\r');
  bench.backend.end(second.job, { exitCode: 1 });
  expect(await bench.as(runId).judgeAttempt(second)).toMatchObject({ kind: 'completed' });

  const { path, promote } = await lastCheckpoint(context);
  const promoted = promote();
  const sealing = await eventually(
    'a sealing job',
    10,
    () => bench.backend.submitted.find((spec) => spec.directory.includes('/seals/')) ?? null,
  );
  expect(JSON.parse(await readFile(sealing.requestPath, 'utf8'))).toMatchObject({
    kind: 'seal',
    params: { checkpoints: [{ path, step: 50, format: 'peft' }] },
  });
  await bench.backend.awaited();
  await writeSeal(path, await computeSeal(path, { step: 50, format: 'peft' }));
  bench.backend.end({ name: sealing.name, uid: `uid-${sealing.name}`, directory: sealing.directory });
  expect((await promoted).digest).toBe((await bench.store.inspect(path))?.seal?.digest);
});

test('a sealing job that fails is said, and a person who asks again gets a new one', async () => {
  const { id, path, format, step, promote } = await trainedToTheEnd();
  const sealings = () => bench.backend.submitted.filter((spec) => spec.directory.includes('/seals/'));
  const failing = promote();
  const [first] = await eventually('a sealing job', 60, () => (sealings().length > 0 ? sealings() : null));
  await bench.backend.awaited();
  bench.backend.end(
    { name: first?.name ?? '', uid: '', directory: '' },
    { exitCode: 65, lastLines: ['data: no moon'] },
  );
  await expect(failing).rejects.toThrow(`checkpoint ${id} could not be sealed: data: no moon`);
  const again = promote();
  await eventually('another sealing job', 60, () => new Set(sealings().map(({ name }) => name)).size === 2);
  await bench.backend.awaited();
  await writeSeal(path, await computeSeal(path, { step, format }));
  const last = sealings().at(-1);
  bench.backend.end({ name: last?.name ?? '', uid: '', directory: '' });
  expect((await again).digest).not.toBeNull();
});

test('a sealing job that is lost with its node is begun anew by itself', async () => {
  const { path, format, step, promote } = await trainedToTheEnd();
  const lost = promote();
  await bench.backend.awaited();
  const sealing = bench.backend.submitted.at(-1)?.name ?? '';
  bench.backend.loseNode({ name: sealing, uid: '', directory: '' }, 'gpu-7');
  await expect(lost).rejects.toMatchObject({
    nonRetryable: false,
    message: `job ${sealing} was ended before it was done: node gpu-7 does not answer any more`,
  });
  expect(bench.backend.stopped).toMatchObject([{ job: sealing, reason: 'node-lost' }]);

  // The first may be at work still: the next has a directory of its own.
  const again = promote();
  await bench.backend.awaited();
  const { name, directory } = bench.backend.submitted.at(-1) ?? { name: '', directory: '' };
  expect([sealing, name]).toEqual([expect.stringMatching(/-a1$/), expect.stringMatching(/-a2$/)]);
  expect(directory).toMatch(/checkpoint-50-2$/);
  await writeSeal(path, await computeSeal(path, { step, format }));
  bench.backend.end({ name, uid: '', directory });
  expect((await again).digest).not.toBeNull();
});

test.each([
  {
    title: 'a log that begins at step 1 again',
    bar: '1',
    rows: [21, 50],
    want: 'told to start at step 20 and started at step 0',
  },
  { title: 'a history of its own', bar: '21', rows: [7, 21, 50], want: 'its log of the steps up to 20 is not the one' },
])('a resume that did not happen is no success: $title', async ({ bar, rows, want }) => {
  const context = contextWith();
  await killedAt20(context);
  const second = await startAttempt(bench, 2, { context });
  await save(second, 50, bar === '1' ? [5, 10, 15, 20, ...rows] : rows);
  await log(second, ` 2%|█  | ${bar}/50 [00:00<00:05, 5it/s]\r`);
  bench.backend.end(second.job, { exitCode: 0 });
  expect((await bench.as(runId).judgeAttempt(second)).sentence).toContain(want);
});

test('an early exit with 0, and an adapter that was never trained, are no success', async () => {
  const context = contextWith();
  const first = await startAttempt(bench, 1, { context });
  await save(first, 30, [30]);
  bench.backend.end(first.job, { exitCode: 0 });
  const early = await bench.as(runId).judgeAttempt(first);
  expect([early.kind, early.sentence]).toEqual([
    'resume',
    expect.stringContaining('a complete checkpoint of step 30, and step 50'),
  ]);

  const other = contextOf({ phase: phaseWith(), pipelineId: 'other', runId: 'run-2' });
  const second = await startAttempt(bench, 1, { context: other, run: 'phase-run-2' });
  await mkdir(join(second.ticket.directory, 'output'), { recursive: true });
  const untrained = Buffer.concat([
    safetensors({ 'lora_A.weight': 16, 'lora_B.weight': 16 }).subarray(0, -16),
    Buffer.alloc(16),
  ]);
  await write(join(second.ticket.directory, 'output', 'checkpoint-50'), {
    ...saved(50, [50]),
    'adapter_model.safetensors': untrained,
  });
  bench.backend.end(second.job, { exitCode: 0 });
  expect((await bench.as('phase-run-2').judgeAttempt(second)).sentence).toContain('the weights are the same');
});

test('a command that takes no checkpoint begins anew, and says so', async () => {
  const context = contextWith({ resumeArgs: [] });
  await killedAt20(context);
  const second = await startAttempt(bench, 2, { context });
  expect(second.ticket.sentence).toContain('checkpoint-20 is there, and the command takes none: it has no resumeArgs');
  expect((await requestIn(second)).command.argv).not.toContain('--resume_from_checkpoint');
});

test('a log without a new step stalls after the minutes of the recipe, not before', async () => {
  const context = contextWith({ stallMinutes: 20 });
  const attempt = await startAttempt(bench, 1, { context });
  bench.backend.run(attempt.job);
  await log(attempt, ' 2%|█  | 1/50 [00:00<00:05, 5it/s]\r');
  const { activities, beat } = bench.held();
  const waiting = activities.awaitJob({ ...attempt, seenSteps: [] });
  await beat(({ step }) => step === 1);
  // The built-in trainers have 15 minutes for a step.
  for (let half = 1; half <= 41; half += 1) {
    bench.pass(30);
    if (half <= 40) await beat(({ idleSeconds }) => idleSeconds >= half * 30);
  }
  expect(await waiting).toMatchObject({
    kind: 'stalled',
    because: expect.stringMatching(/at step 1 for 2[01] min; 20 min are allowed/) as string,
  });
});

test('a script that was edited is other work', async () => {
  const script = join(bench.folder, 'train.py');
  await writeFile(script, 'print(1)');
  const recipe = recipeOf([
    { ...foreign, params: { ...foreign.params, command: ['python', script, `--config=${script}`] } },
  ]);
  const digests = async () => (await bench.as(runId).resolvePipeline({ recipe })).dataDigests;
  const before = await digests();
  expect(Object.keys(before)).toEqual([script, `--config=${script}`]);
  await writeFile(script, 'print(2)');
  expect((await digests())[script]).not.toBe(before[script]);
});
