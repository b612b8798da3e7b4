/**
 * `npm run demo -- --kill trainer|worker|server|everything`: the demo, killed in the middle of each phase, and what that cost.
 *
 * It runs in a store of its own below the demo's, new each time, so that nothing finished is reused; its last checkpoints are compared
 * with those of a finished `npm run demo` of the same recipe. Ctrl-C ends all of it. Does not cover the demo itself (demo.ts).
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { loadProfile } from '../../configs/load.ts';
import type { Recipe } from '../../configs/schema.ts';
import { openSqliteLedger } from '../../store/ledger/sqlite.ts';
import { readWitness } from '../../store/witness.ts';
import { endServerLeftBehind } from '../server-record.ts';
import { pageOfRun, type Settings } from '../settings.ts';
import type { StopSignal } from '../stop-signal.ts';
import { storeDirectoryOf } from '../store-directory.ts';
import type { Screen } from '../terminal/bars.ts';
import { type Following, followPipeline, type PipelineEnd } from '../terminal/follow.ts';
import { attemptsOfRun } from './attempts-of-run.ts';
import { type KeptOptions, openKeptTemper } from './kept-temper.ts';
import { type Killable, killEachPhase, type PhaseKill } from './kill-each-phase.ts';
import { compareCheckpoints, type Comparison, finishedRunOf, lastCheckpoints } from './last-checkpoints.ts';
import { isOutage } from './outage.ts';
import { startOrJoin } from './start-or-join.ts';
import { brokenPromises, type Survival, survivalText } from './survival-text.ts';

export interface KilledDemo {
  readonly what: Killable;
  readonly settings: Settings;
  readonly screen: Screen;
  readonly stop: StopSignal;
  /** The workflow id of the demo that is compared with. */
  readonly undisturbedId: string;
}

/** Resolves to the exit code: 0 when every promise was kept. */
export async function killedDemo(demo: KilledDemo): Promise<number> {
  const { what, screen, stop, settings } = demo;
  const place = await freshPlace(demo);
  const pipelineId = `${demo.undisturbedId}-kill-${what}`;
  const temper = await openKeptTemper(place);
  const over = new AbortController();
  const killing = killEachPhase({
    what,
    temper,
    storeDirectory: place.settings.storeDirectory,
    signal: over.signal,
    killed: ({ phase, step }) => {
      screen.say(
        `SIGKILL for ${what === 'trainer' ? 'the trainer' : what === 'everything' ? what : `the ${what}`} in ${phase}, at step ${String(step)}.`,
      );
    },
  });
  const ended = await (async () => {
    const run = await startOrJoin(temper.client, {
      pipelineId,
      taskQueue: settings.taskQueue,
      input: { recipe: 'tiny' },
      summary: `The tiny recipe; in the middle of each phase, SIGKILL: ${what}`,
      details: `Started by \`npm run demo -- --kill ${what}\`.`,
    });
    screen.say(`Started the pipeline: ${pageOfRun(temper, settings.namespace, [pipelineId, run.runId])}`);
    const never = new Promise<never>(() => undefined);
    const end = await throughOutages({ client: temper.client, run, screen, stop: stop.asked, died: never });
    screen.leave();
    return { end, runId: run.runId };
  })().finally(async () => {
    over.abort();
    await temper.close();
  });
  return await tell(demo, place, { ...ended, pipelineId, kills: await killing });
}

/** An empty store below the demo's, a profile that lies there, and the witness. */
async function freshPlace({ what, settings: of }: KilledDemo): Promise<KeptOptions & { readonly witness: string }> {
  const { value: profile } = await loadProfile(of.profilesDirectory, 'local');
  const storeDirectory = join(of.storeDirectory, `demo-kill-${what}`);
  await endServerLeftBehind(join(storeDirectory, 'temporal.sqlite.server.json'));
  await rm(storeDirectory, { recursive: true, force: true });
  const profilesDirectory = join(storeDirectory, 'profiles');
  await mkdir(profilesDirectory, { recursive: true });
  await writeFile(join(profilesDirectory, 'local.yaml'), stringify({ ...profile, store: {} }));
  const settings = { ...of, storeDirectory, profilesDirectory };
  const witness = join(storeDirectory, 'witness.jsonl');
  return {
    settings,
    worker: [process.execPath, join(of.home, 'bin', 'temper.mjs'), 'worker', '--recipe', 'tiny'],
    environment: {
      ...process.env,
      TEMPER_STORE: storeDirectory,
      TEMPER_PROFILES: profilesDirectory,
      TEMPER_PORT: String(of.port),
      TEMPER_PYTHON: of.python,
      TEMPORAL_CLI: of.temporalCli,
      TEMPER_WITNESS: witness,
    },
    graceSeconds: profile.graceSeconds,
    witness,
  };
}

/** A server that is killed takes the following with it: it is followed again. */
async function throughOutages(following: Following): Promise<PipelineEnd> {
  for (;;) {
    try {
      return await followPipeline(following);
    } catch (error) {
      if (!isOutage(error)) throw error;
      await pause(500);
    }
  }
}

interface Ended {
  readonly end: PipelineEnd;
  readonly pipelineId: string;
  readonly runId: string;
  readonly kills: readonly PhaseKill[];
}

async function tell(demo: KilledDemo, place: Awaited<ReturnType<typeof freshPlace>>, ended: Ended): Promise<number> {
  const { screen } = demo;
  if (ended.end.kind === 'stopped') {
    screen.say('Stopped: nothing of it runs now; the next run begins anew.');
    return 130;
  }
  const survival = await survivalOf(demo, place, ended);
  screen.say(`\n${survivalText(survival)}`);
  if (survival.comparisons === null)
    screen.say('\nThere is no finished demo of this recipe to compare with: `npm run demo` makes one.');
  const failure = ended.end.kind === 'failed' ? [ended.end.message] : [];
  const broken = [...failure, ...brokenPromises(survival)];
  for (const one of broken) screen.say(one);
  if (broken.length > 0) return 1;
  screen.say(`\nKilled ${String(ended.kills.length)} times, and nothing was lost but what is shown.`);
  return 0;
}

async function survivalOf(
  demo: KilledDemo,
  { settings, witness }: Awaited<ReturnType<typeof freshPlace>>,
  { pipelineId: workflowId, runId, kills }: Ended,
): Promise<Survival> {
  const ledger = await openSqliteLedger(join(settings.storeDirectory, 'ledger.sqlite'));
  try {
    const [pipeline] = await ledger.pipelines({ workflowId, limit: 1 });
    const { recipe } = pipeline?.resolved as { recipe: Recipe };
    const run = { workflowId, runId, phases: recipe.phases };
    const phases = await attemptsOfRun(ledger, await readWitness(witness), run);
    const ours = await lastCheckpoints(ledger, runId);
    return { phases, kills, comparisons: await compareWithUndisturbed(demo, ours, pipeline?.identity ?? '') };
  } finally {
    await ledger.close();
  }
}

async function compareWithUndisturbed(
  { settings, undisturbedId }: KilledDemo,
  ours: ReadonlyMap<string, string>,
  identity: string,
): Promise<ReadonlyMap<string, Comparison> | null> {
  const { value: profile } = await loadProfile(settings.profilesDirectory, 'local');
  if (profile.backend !== 'local') return null;
  const file = join(storeDirectoryOf(profile, settings), 'ledger.sqlite');
  if (!existsSync(file)) return null;
  const ledger = await openSqliteLedger(file);
  try {
    const runId = await finishedRunOf(ledger, { workflowId: undisturbedId, identity });
    if (runId === null) return null;
    const theirs = await lastCheckpoints(ledger, runId);
    const compared = [...ours].flatMap(([phase, path]) => {
      const other = theirs.get(phase);
      return other === undefined ? [] : [compareCheckpoints(path, other).then((one) => [phase, one] as const)];
    });
    return new Map(await Promise.all(compared));
  } finally {
    await ledger.close();
  }
}
