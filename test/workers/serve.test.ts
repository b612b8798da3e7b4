/** A worker that cannot start leaves nothing open of the place that it had opened. */
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { readSettings } from '../../workers/settings.ts';
import { serve } from '../../workers/serve.ts';
import { freePort } from '../../scripts/free-ports.ts';

const folder = await mkdtemp(join(tmpdir(), 'temper-serve-'));
afterAll(() => rm(folder, { recursive: true }));

/** Files of the folder that this process holds open. */
async function heldOpen(): Promise<string[]> {
  const handles = await readdir('/proc/self/fd');
  const paths = await Promise.all(handles.map((handle) => readlink(join('/proc/self/fd', handle)).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}

/** Timers of this process that were set for so long, and neither ended nor were cleared. */
function waitingFor(milliseconds: number): { readonly timers: Set<unknown>; readonly restore: () => void } {
  const timers = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  globalThis.setTimeout = ((act: () => void, after?: number) => {
    const timer = set(act, after);
    if (after === milliseconds) timers.add(timer);
    return timer;
  }) as typeof set;
  globalThis.clearTimeout = (timer) => {
    timers.delete(timer);
    clear(timer);
  };
  return { timers, restore: () => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }) };
}

test('of a server that is away: no file of the ledger, and no reaper that looks a minute later', async () => {
  const port = await freePort();
  const address = `127.0.0.1:${String(port)}`;
  const connection = Connection.lazy({ address });
  const settings = { ...readSettings({ ...process.env, TEMPER_STORE: folder }) };
  const { timers, restore } = waitingFor(60_000);
  try {
    const serving = serve({
      settings,
      connection,
      address,
      native: {},
      profile: 'local',
      defaultRecipe: null,
      log: () => undefined,
      environment: process.env,
    });
    await expect(serving).rejects.toThrow();
  } finally {
    restore();
    await connection.close();
  }
  expect({ timers: timers.size, files: process.platform === 'linux' ? await heldOpen() : [] }).toEqual({
    timers: 0,
    files: [],
  });
});
