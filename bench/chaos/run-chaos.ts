/**
 * Runs pipelines in a fresh store, kills what they run on, sees them through to their ends, and counts what that did.
 *
 * Server, worker, supervisors and trainers are the real ones, each a process of its own; the trainer is one that learns nothing
 * (trainers/bench/stand_in). Covers one run. Does not cover counting (count.ts) or saying it (chaos.ts).
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-ports.ts';
import { processesOf } from '../../scripts/processes-of-store.ts';
import { readWitness } from '../../store/witness.ts';
import { type KeptTemper, openKeptTemper } from '../../workers/demo/kept-temper.ts';
import { readSettings } from '../../workers/settings.ts';
import { countFrom, type Counts, type TornCheckpoint } from './count.ts';
import { chooseTarget, kill, type Kill } from './kills.ts';
import { liveJobs } from '../../workers/demo/live-jobs.ts';
import { createLoad, type Load, type LoadPipeline, undisturbedDigest } from './load.ts';
import { seededRandom, type Random } from './seeded-random.ts';

export interface ChaosOptions {
  readonly kills: number;
  readonly seed: number;
  /** An empty folder: store, profile and witness lie there. */
  readonly folder: string;
  /** The worker's program; @default `temper worker`, as a person starts it */
  readonly worker?: readonly [string, ...string[]];
  /** Workers at once, of one store. @default 1 */
  readonly workers?: number;
  /** One line for each thing that happens. */
  readonly say: (line: string) => void;
  /** Seconds between two kills, on average. @default 1.5 */
  readonly paceSeconds?: number;
  /** What a step of training takes. @default 0.1 */
  readonly stepSeconds?: number;
}

export interface ChaosReport extends Counts {
  readonly kills: readonly Kill[];
  /** Processes of ours that live when nothing should. */
  readonly orphans: number;
  /** Pipelines that did not complete, each with why. */
  readonly unfinished: readonly string[];
  /** Pipelines whose last checkpoint is not that of an undisturbed run. */
  readonly wrong: readonly string[];
  readonly releases: number;
  readonly pipelines: number;
}

const slots = 4;
/** Fewer trainers than this, and another pipeline is started. */
const fewestTrainers = 3;
const mostPipelines = 12;
const lookMilliseconds = 250;
/** Two seconds. */
const looksPerStart = 8;
/** A watch that a killed worker left is given up after 30 s; then every phase has a few seconds of work left. */
const endSeconds = 600;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { folder, say } = options;
  const { workers = 1 } = options;
  const place = { ...(await preparePlace(options)), workers };
  const random = seededRandom(options.seed);
  const temper = await openKeptTemper(place);
  const load = createLoad(temper.client, place.settings.taskQueue);
  let kills: readonly Kill[];
  try {
    kills = await killAtRandom(options, { temper, load, random, storeDirectory: place.settings.storeDirectory });
    say('no more kills: every pipeline goes on to its end');
    await untilEnded(load);
    await startAgain(load);
  } finally {
    await temper.close();
  }
  const orphans = await processesLeft(folder);
  const torn = kills.map((one) => one.torn).filter((one): one is TornCheckpoint => one !== null);
  const wrong = await Promise.all(load.pipelines.map(wrongEnd));
  return {
    ...countFrom(await readWitness(place.witness), { torn, slots }),
    kills,
    orphans: orphans.length,
    unfinished: load.pipelines
      .filter(({ state }) => state !== 'completed')
      .map(({ pipelineId, state, failure }) => `${pipelineId} is ${state}${failure === null ? '' : `: ${failure}`}`),
    wrong: wrong.filter((one) => one !== null),
    releases: load.releases,
    pipelines: load.pipelines.length,
  };
}

/** Settings, profile and environment of a store of its own. */
async function preparePlace({ folder, worker, stepSeconds = 0.1 }: ChaosOptions) {
  const [storeDirectory, profiles, witness] = [
    join(folder, 'store'),
    join(folder, 'profiles'),
    join(folder, 'witness'),
  ];
  await Promise.all([mkdir(storeDirectory), mkdir(profiles)]);
  const read = readSettings(process.env);
  const settings = { ...read, storeDirectory, port: await freePort(), uiPort: await freePort(), taskQueue: 'chaos' };
  const trainers = join(settings.home, 'trainers');
  const trainer = ['env', `PYTHONPATH=${trainers}`, settings.python, join(trainers, 'bench', 'stand_in')];
  const profile = { name: 'local', backend: 'local', slots, graceSeconds: 5 };
  const withTrainer = { ...profile, trainer: [...trainer, '--step-seconds', String(stepSeconds)] };
  await writeFile(join(profiles, 'local.yaml'), stringify(withTrainer));
  const environment = {
    ...process.env,
    TEMPER_STORE: storeDirectory,
    TEMPER_PROFILES: profiles,
    TEMPER_PORT: String(settings.port),
    TEMPER_UI_PORT: String(settings.uiPort),
    TEMPER_TASK_QUEUE: settings.taskQueue,
    TEMPER_PYTHON: settings.python,
    TEMPORAL_CLI: settings.temporalCli,
    TEMPER_WITNESS: witness,
  };
  const person: [string, ...string[]] = [process.execPath, join(settings.home, 'bin', 'temper.mjs'), 'worker'];
  return { settings, worker: worker ?? person, environment, graceSeconds: 5, witness };
}

interface Scene {
  readonly temper: KeptTemper;
  readonly load: Load;
  readonly random: Random;
  readonly storeDirectory: string;
}

async function killAtRandom({ kills: wanted, say, paceSeconds = 1.5 }: ChaosOptions, scene: Scene) {
  const { random } = scene;
  const began = performance.now();
  const kills: Kill[] = [];
  await scene.load.start();
  while (kills.length < wanted) {
    // As long as by chance between two: short pauses are common, long ones rare.
    await pause(Math.min(4, -Math.log(1 - random.next())) * paceSeconds * 1000);
    await busy(scene);
    const done = await kill(chooseTarget(random), scene);
    if (done === null) continue;
    kills.push(done);
    const at = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
    say(`${at} s  kill ${String(kills.length)} of ${String(wanted)}: ${done.target} ${done.what}`);
  }
  return kills;
}

/**
 * Resolves when something trains. One more pipeline is started when too little does, seldom, since those that a killed worker watched
 * go on by themselves after a while.
 */
async function busy({ load, storeDirectory }: Scene): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const training = (await liveJobs(storeDirectory)).filter(({ trainer }) => trainer !== null).length;
    if (training < fewestTrainers && looks % looksPerStart === 0) {
      await load.look();
      const open = load.pipelines.filter(({ state }) => state === 'open' || state === 'unsure').length;
      if (open < mostPipelines) await load.start();
    }
    if (training > 0) return;
    await pause(lookMilliseconds);
  }
}

async function untilEnded(load: Load): Promise<void> {
  const end = performance.now() + endSeconds * 1000;
  while (load.pipelines.some(({ state }) => state === 'open' || state === 'unsure') && performance.now() < end) {
    await load.look();
    await pause(500);
  }
}

/** One that is completed, under the same id: everything is there, so nothing may be trained. */
async function startAgain(load: Load): Promise<void> {
  const done = load.pipelines.find(({ state }) => state === 'completed');
  if (done === undefined) return;
  await load.start(done.pipelineId);
  await untilEnded(load);
}

/** Says what is wrong with the last checkpoint of a completed pipeline. */
async function wrongEnd({ pipelineId, seed, result }: LoadPipeline): Promise<string | null> {
  const path = result?.promoted.at(-1)?.outcome.checkpoint.path;
  if (path === undefined) return null;
  const weights = await readFile(join(path, 'model.safetensors'));
  return weights.subarray(-32).toString('hex') === undisturbedDigest(seed) ? null : `${pipelineId}: ${path}`;
}

/** Supervisors may need a moment to see that their job is over. */
async function processesLeft(folder: string): Promise<readonly number[]> {
  for (let tries = 0; ; tries += 1) {
    const left = await processesOf(folder);
    if (left.length === 0 || tries === 240) return left;
    await pause(250);
  }
}
