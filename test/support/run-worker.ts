/**
 * A worker in this process, for programs that tests stop or kill: reads the same settings as every Temper process, says `ready` to its
 * parent, and leaves fast on SIGTERM or when the parent is gone. Its jobs run on.
 */
import { Connection } from '@temporalio/client';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { createActivities } from '../../activities/index.ts';
import { openPlace } from '../../workers/place.ts';
import { readSettings } from '../../workers/settings.ts';
import { onStopSignal } from '../../workers/stop-signal.ts';
import { installRuntime, startTemperWorker } from '../../workers/temper-worker.ts';

/** Resolves when it has left. `change` stands between the activities and what they are given. */
export async function runWorker(
  change: (dependencies: ActivityDependencies) => ActivityDependencies = (same) => same,
): Promise<void> {
  const { asked } = onStopSignal(process);
  const parentGone = new Promise((resolve) => process.once('disconnect', resolve));
  const stopAsked = new Promise((resolve) => {
    asked.addEventListener('abort', resolve);
  });
  installRuntime((line) => process.stderr.write(`${line}\n`));

  const settings = { ...readSettings(process.env), heartbeatSeconds: 1 };
  const address = `127.0.0.1:${String(settings.port)}`;
  const connection = await Connection.connect({ address });
  const place = await openPlace({
    settings,
    connection,
    profile: process.env['TEMPER_TEST_PROFILE'] ?? 'local',
    defaultRecipe: 'tiny',
    scanSeconds: 0.5,
    environment: process.env,
  });
  const activities = createActivities(change(place.dependencies));
  const worker = await startTemperWorker({ ...settings, address, activities });
  process.send?.('ready');

  await Promise.race([stopAsked, parentGone, worker.running]);
  await worker.stop();
  await place.close();
  await connection.close();
  if (process.connected) process.disconnect();
}
