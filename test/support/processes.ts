/**
 * What still runs of a test: every process that was started with its store in the environment, whatever became of its parents.
 *
 * Needs /proc (Linux) or a `ps` that shows environments (macOS).
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Pids of the living processes whose environment names this store. */
export async function processesOf(store: string): Promise<readonly number[]> {
  const mark = `TEMPER_STORE=${store}`;
  return process.platform === 'linux' ? await fromProc(mark) : await fromPs(mark);
}

/** Ends each of them at once, by its id. */
export async function killProcessesOf(store: string): Promise<void> {
  for (const pid of await processesOf(store)) killIfThere(pid, 'SIGKILL');
}

/** Sends a signal to a process, or to a group by its negative id; false when there is none. */
export function killIfThere(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

async function fromProc(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const marked = await Promise.all(
    pids.map(async (pid) => {
      // A process that ends meanwhile, or is another user's, has no environment for us.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(mark);
    }),
  );
  return pids.filter((_, index) => marked[index]).map(Number);
}

async function fromPs(mark: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], {
    maxBuffer: 64 * 1024 ** 2,
  });
  return stdout
    .split('\n')
    .filter((line) => line.split(/\s+/).includes(mark))
    .map((line) => Number.parseInt(line, 10));
}
