/** Workers come and go; the trainer that runs is adopted by the next one, and never gets a twin. */
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Started } from '../../local/job-files.ts';
import { childIds } from '../../workflows/contract.ts';
import {
  signalTrainer,
  startEmbedded,
  trainerOf,
  untilStep,
  type Embedded,
  type Site,
  type WorkerProcess,
} from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';

let embedded: Embedded;
let site: Site;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site('restart');
});
afterAll(() => embedded.close());

/** Resolves to the seconds it took until this worker watches the job of the phase. */
async function untilWatchedBy(worker: WorkerProcess, seconds: number): Promise<number> {
  const phase = embedded.client.workflow.getHandle(childIds.phase('adopted', 'base'));
  const begun = performance.now();
  await eventually(`worker ${String(worker.pid)} watches the job`, seconds, async () => {
    const { raw } = await phase.describe();
    return (raw.pendingActivities ?? []).some(
      ({ activityType, lastWorkerIdentity, heartbeatDetails }) =>
        activityType?.name === 'awaitJob' &&
        lastWorkerIdentity?.startsWith(`${String(worker.pid)}@`) === true &&
        heartbeatDetails !== null,
    );
  });
  return (performance.now() - begun) / 1000;
}

it('a job is adopted by the next worker after a stop and after a kill: same process, same attempt', async () => {
  const first = await site.startWorker();
  const pipeline = await site.start('adopted', { recipe: await shortRecipe(['base'], careless) });
  const directory = site.attempt('adopted', 'base');
  await eventually('the attempt is there', 600, () => readdir(directory).catch(() => null));
  await untilStep(site, directory, 1);
  // Held in the middle of its work for as long as the workers change.
  const trainer: Started = await signalTrainer(directory, 'SIGSTOP');

  const stopping = performance.now();
  expect(await first.stop()).toBe(0);
  const stopSeconds = (performance.now() - stopping) / 1000;
  const second = await site.startWorker();
  const afterStop = await untilWatchedBy(second, 20);

  await second.kill();
  const third = await site.startWorker();
  const afterKill = await untilWatchedBy(third, 60);
  console.log(
    `worker stopped in ${stopSeconds.toFixed(1)} s; watched again ${afterStop.toFixed(1)} s after a stop, ${afterKill.toFixed(1)} s after a kill`,
  );
  expect(stopSeconds).toBeLessThan(10);
  expect(afterStop).toBeLessThan(10);
  expect(afterKill).toBeLessThan(40);

  expect(await trainerOf(directory)).toEqual(trainer);
  await signalTrainer(directory, 'SIGCONT');
  const { promoted } = await pipeline.result();
  expect(promoted.map(({ outcome }) => outcome.state)).toEqual(['completed']);
  const attempts = await site.ledger.attemptsOf({ workflowId: 'adopted', phase: 'base' });
  expect(attempts.map(({ number, state, jobUid }) => [number, state, jobUid])).toEqual([
    [1, 'completed', trainer.token],
  ]);
  expect((await readdir(dirname(directory))).filter((name) => name.startsWith('attempt-'))).toEqual(['attempt-1']);
});
