/**
 * Stands by a test that starts processes which outlive it on purpose. When the test's process is gone, well or killed, it ends what is
 * left of the folder's processes and removes the folder. Signals of a terminal are the test's, not its own.
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { eventually } from './eventually.ts';
import { killProcessesOf, processesOf } from '../../scripts/processes-of-store.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
if (process.connected) await once(process, 'disconnect');
await eventually(`nothing runs in ${folder}`, 60, async () => {
  await killProcessesOf(folder);
  return (await processesOf(folder)).length === 0;
});
if (process.env['TEMPER_KEEP'] === undefined) await rm(folder, { recursive: true, force: true });
