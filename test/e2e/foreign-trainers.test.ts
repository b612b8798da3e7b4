/**
 * Trainers that know nothing of Temper, killed in the middle: each goes on from a complete checkpoint, and ends with the bytes that the
 * same command leaves when a person runs it by hand and lets it run.
 */
import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { parseYaml } from '../../configs/load.ts';
import { withFieldsSet } from '../../configs/set-fields.ts';
import { lastLinesOf } from '../../local/log-tail.ts';
import { killIfThere } from '../../scripts/processes-of-store.ts';
import { repository } from '../../scripts/repository.ts';
import { readSettings } from '../../workers/settings.ts';
import { signalTrainer, startEmbedded, trainerOf, type Embedded, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';

let embedded: Embedded;
let site: Site;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site('foreign');
  await site.startWorker();
});
afterAll(() => embedded.close());

/** Resolves when the first attempt has something to go on from. */
async function firstCheckpoint(pipeline: string): Promise<string> {
  const directory = site.attempt(pipeline, 'tuned');
  await eventually(`${pipeline} has a complete checkpoint`, 600, async () => {
    const checkpoints = await site.runs.checkpoints(directory).catch(() => []);
    return checkpoints.some(({ level }) => level === 'complete');
  });
  return directory;
}

/** The process of a job that torch has given this rank. */
async function processOfRank(directory: string, rank: number): Promise<number> {
  const { token } = await trainerOf(directory);
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => ''); // it ended meanwhile
    const variables = environment.split('\0');
    if (variables.includes(`RANK=${String(rank)}`) && variables.includes(`TEMPER_JOB_TOKEN=${token}`))
      return Number(name);
  }
  throw new Error(`no process of rank ${String(rank)} runs`);
}

interface Request {
  readonly command: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> };
  readonly resume: { readonly path: string; readonly step: number } | null;
}

/** The command of an attempt, run without Temper; resolves to the folder that it wrote to. */
async function runByHand({ command: { argv, env } }: Request, output: string): Promise<string> {
  const folder = join(embedded.folder, `by-hand-${String(argv[0])}`);
  await mkdir(folder);
  const [program = '', ...args] = argv.map((text) => text.replace(output, folder));
  const path = [dirname(readSettings(process.env).python), process.env['PATH']].join(delimiter);
  const log = await open(join(folder, 'log.txt'), 'a');
  const stdio: StdioOptions = ['ignore', log.fd, log.fd];
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, PATH: path, ...env }, stdio });
  const end: unknown = await once(child, 'exit');
  await log.close();
  const lines = await lastLinesOf(join(folder, 'log.txt'));
  expect({ end, lines }).toEqual({ end: [0, null], lines });
  return folder;
}

interface Told {
  readonly recipe: string;
  /** Fields of the recipe to change. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly kill: (directory: string) => Promise<void>;
  readonly incident: { readonly class: string; readonly rank: number };
  readonly files: readonly string[];
}

async function killedAndByHand({ recipe, set, kill, incident, files }: Told): Promise<void> {
  const small = { 'phases.base.params.steps': 20, 'phases.base.params.checkpointEvery': 20 };
  const file = `${recipe}.yaml`;
  const written = parseYaml(await readFile(join(repository, 'configs', 'recipes', file), 'utf8'), file);
  const pipeline = await site.start(recipe, { recipe: withFieldsSet(written, { ...small, ...set }) });
  const first = await firstCheckpoint(recipe);
  await kill(first);
  const { promoted } = await pipeline.result();
  const attempts = await site.ledger.attemptsOf({ workflowId: recipe, phase: 'tuned', purpose: 'train' });
  expect(attempts.map(({ number, state }) => [number, state])).toEqual([
    [1, 'failed'],
    [2, 'completed'],
  ]);
  const incidents = await site.ledger.incidentsOf({ runId: pipeline.firstExecutionRunId, phase: 'tuned' });
  expect(incidents).toMatchObject([incident]);
  const [begun, { resume }] = attempts.map(({ request }) => request) as [Request, Request];
  expect(resume?.step).toBeGreaterThan(0);
  expect(resume?.path).toBe(join(first, 'checkpoints', `checkpoint-${String(resume?.step)}`));

  const checkpoint = promoted[1]?.outcome.checkpoint;
  const byHand = await runByHand(begun, join(first, 'output'));
  for (const file of files) {
    const [got, want] = await Promise.all([
      readFile(join(checkpoint?.path ?? '', file)),
      readFile(join(byHand, `checkpoint-${String(checkpoint?.step)}`, file)),
    ]);
    expect([file, got.equals(want)]).toEqual([file, true]);
  }
}

it('a script on the Hugging Face Trainer that rotates its checkpoints', async () => {
  await killedAndByHand({
    recipe: 'hf-trainer',
    set: {
      'phases.tuned.params.steps': 120,
      'phases.tuned.params.checkpointEvery': 10,
      'phases.tuned.evaluate': undefined,
      'phases.tuned.gate': [],
    },
    kill: async (directory) => {
      await signalTrainer(directory, 'SIGKILL');
    },
    incident: { class: 'killed', rank: 0 },
    files: ['adapter_model.safetensors', 'optimizer.pt', 'scheduler.pt', 'rng_state.pth', 'trainer_state.json'],
  });
});

it('one of two processes under torchrun', async () => {
  await killedAndByHand({
    recipe: 'torchrun',
    set: {},
    kill: async (directory) => {
      killIfThere(await processOfRank(directory, 1), 'SIGKILL');
    },
    incident: { class: 'killed', rank: 1 },
    files: ['model.safetensors', 'optimizer.pt', 'scheduler.pt', 'rng_state_0.pth', 'rng_state_1.pth'],
  });
});
