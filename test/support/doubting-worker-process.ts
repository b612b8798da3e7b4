/**
 * A worker as a process of its own whose backend loses every first reply to a submit, after the job has begun.
 *
 * With the argument `adopting` the second submit reaches the real backend, which adopts what runs. With `forgetting` adoption is
 * switched off: each submit is a job of its own in a folder of its own. For the test that shows that twins are seen.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import type { Backend, JobSpec } from '../../activities/backend.ts';
import { createActivities } from '../../activities/index.ts';
import { TemperError } from '../../decisions/errors.ts';
import { openPlace } from '../../workers/place.ts';
import { readSettings } from '../../workers/settings.ts';
import { onStopSignal } from '../../workers/stop-signal.ts';
import { installRuntime, startTemperWorker } from '../../workers/temper-worker.ts';

const adopts = process.argv[2] === 'adopting';
const { asked } = onStopSignal(process);
installRuntime((line) => process.stderr.write(`${line}\n`));
const settings = readSettings(process.env);
const address = `127.0.0.1:${String(settings.port)}`;
const connection = await Connection.connect({ address });
const opened = await openPlace({
  settings,
  connection,
  profile: 'local',
  defaultRecipe: null,
  scanSeconds: 1,
  environment: process.env,
});
const place = { ...opened.place, backend: doubting(opened.place.backend) };
const activities = createActivities({ ...opened.dependencies, placeOf: () => place });
const worker = await startTemperWorker({ ...settings, address, activities });
const stopped = new Promise((resolve) => {
  asked.addEventListener('abort', resolve);
});
await Promise.race([stopped, worker.running]);
await worker.stop();
await opened.close();
await connection.close();

function doubting(backend: Backend): Backend {
  const asked = new Map<string, number>();
  return {
    ...backend,
    async submit(spec) {
      const times = (asked.get(spec.name) ?? 0) + 1;
      asked.set(spec.name, times);
      const job = await backend.submit(adopts ? spec : await another(spec, times));
      if (times > 1) return job;
      throw new TemperError('backend-unavailable', `the reply to the submit of ${spec.name} is lost`);
    },
  };
}

async function another(spec: JobSpec, times: number): Promise<JobSpec> {
  const directory = join(spec.directory, `asked-${String(times)}`);
  await mkdir(directory, { recursive: true });
  const requestPath = join(directory, 'request.json');
  await copyFile(spec.requestPath, requestPath);
  return { ...spec, name: `${spec.name}-${String(times)}`, directory, requestPath };
}
