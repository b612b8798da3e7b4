import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { guardedFolder } from './guarded-folder.ts';
import { processesOf } from '../../scripts/processes-of-store.ts';

test('a guarded folder goes with every process whose store lies in it, and with nothing else', async () => {
  const [guarded, other] = [await guardedFolder('temper-guarded-'), await guardedFolder('temper-guarded-')];
  const start = (folder: string) =>
    spawn('sleep', ['60'], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, TEMPER_STORE: join(folder, 'store') },
    });
  const [mine, foreign] = [start(guarded.path), start(other.path)];
  await Promise.all([once(mine, 'spawn'), once(foreign, 'spawn')]);
  expect(await processesOf(guarded.path)).toEqual([mine.pid]);

  const ended = once(mine, 'exit');
  await guarded.close();
  expect((await ended)[1]).toBe('SIGKILL');
  await expect(stat(guarded.path)).rejects.toThrow('ENOENT');
  expect(await processesOf(other.path)).toEqual([foreign.pid]);
  await other.close();
});
