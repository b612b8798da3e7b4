/** A temporary folder of a test, with a guardian that ends what the test started there even when the test is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface GuardedFolder {
  readonly path: string;
  /** Ends what still runs there, and removes it (unless TEMPER_KEEP is set, to look at it). */
  close(): Promise<void>;
}

export async function guardedFolder(prefix: string): Promise<GuardedFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  const program = join(import.meta.dirname, 'guardian-process.ts');
  const guardian = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, path], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(guardian, 'spawn');
  return {
    path,
    async close() {
      const exited = once(guardian, 'exit') as Promise<[number | null]>;
      guardian.disconnect();
      const [code] = await exited;
      if (code !== 0) throw new Error(`${path} could not be cleared`);
    },
  };
}
