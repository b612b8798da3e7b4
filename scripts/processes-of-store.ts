/**
 * What still runs of a store: every process that was started with it in the environment, whatever became of its parents, and
 * every Temporal server whose database lies there.
 *
 * Needs /proc (Linux) or a `ps` that shows environments (macOS).
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Pids of the living processes of this store, or of any store below this folder. */
export async function processesOf(folder: string): Promise<readonly number[]> {
  const isOf = (words: readonly string[]) =>
    words.some((word, index) => {
      const path = words[index - 1] === '--db-filename' ? word : /^TEMPER_STORE=(.*)$/.exec(word)?.[1];
      return path === folder || path?.startsWith(`${folder}/`) === true;
    });
  return process.platform === 'linux' ? await fromProc(isOf) : await fromPs(isOf);
}

/** Ends each of them at once, by its id. */
export async function killProcessesOf(folder: string): Promise<void> {
  for (const pid of await processesOf(folder)) killIfThere(pid, 'SIGKILL');
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

type IsOf = (words: readonly string[]) => boolean;

async function fromProc(isOf: IsOf): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment] = await Promise.all([textOf(pid, 'cmdline'), textOf(pid, 'environ')]);
      return isOf([...command.split('\0'), ...environment.split('\0')]);
    }),
  );
  return pids.filter((_, index) => found[index]).map(Number);
}

/** Empty for a process that ends meanwhile, or is another user's. */
async function textOf(pid: string, file: 'cmdline' | 'environ'): Promise<string> {
  return await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

async function fromPs(isOf: IsOf): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], {
    maxBuffer: 64 * 1024 ** 2,
  });
  return stdout
    .split('\n')
    .filter((line) => isOf(line.split(/\s+/)))
    .map((line) => Number.parseInt(line, 10));
}
