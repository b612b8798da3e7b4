/**
 * Everything that runs for a job: its process group, and processes that left the group but still carry the job's token.
 *
 * Covers finding and ending them. Does not cover other users' processes, or (without /proc) processes that left the group.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { TemperError } from '../decisions/errors.ts';
import { bootNow, entryOf, isAlive, type ProcessIdentity } from './process-identity.ts';

export interface JobProcesses {
  /** The process that leads the group; its pid is the group's id. Null before it was started. */
  readonly leader: ProcessIdentity | null;
  readonly token: string;
}

const run = promisify(execFile);
const lookMilliseconds = 50;
/** A process that a SIGKILL does not end within this time hangs in the kernel. */
const killSeconds = 20;

/** Pids of all living members. */
export async function membersOf(processes: JobProcesses): Promise<readonly number[]> {
  const group = await trustedGroup(processes.leader);
  const pids = process.platform === 'linux' ? await fromProc(processes.token, group) : await fromPs(group);
  return pids.filter((pid) => pid !== process.pid);
}

/** SIGTERM to all, SIGKILL to what is left after the grace; resolves when none lives. Throws `backend-unavailable` when one cannot be killed. */
export async function endProcesses(processes: JobProcesses, graceSeconds: number): Promise<void> {
  const members = await membersOf(processes);
  if (members.length === 0) return;
  signal(members, 'SIGTERM');
  if (await areGone(processes, graceSeconds, null)) return;
  if (await areGone(processes, killSeconds, 'SIGKILL')) return;
  const left = await membersOf(processes);
  throw new TemperError(
    'backend-unavailable',
    `processes ${left.join(', ')} do not end on SIGKILL: they hang in the kernel`,
  );
}

async function areGone(processes: JobProcesses, seconds: number, again: NodeJS.Signals | null): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const members = await membersOf(processes);
    if (members.length === 0) return true;
    if (again !== null) signal(members, again);
    const left = end - performance.now();
    if (left <= 0) return false;
    await pause(Math.min(lookMilliseconds, left));
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** A group's id is not given away while a member lives, unless the machine was restarted; when the leader's pid is another process now, the group is another one too. */
async function trustedGroup(leader: ProcessIdentity | null): Promise<number | null> {
  if (leader === null || leader.boot !== (await bootNow())) return null;
  if (await isAlive(leader)) return leader.pid;
  return (await entryOf(leader.pid)) === null ? leader.pid : null;
}

async function fromProc(token: string, group: number | null): Promise<number[]> {
  const mark = Buffer.from(`TEMPER_JOB_TOKEN=${token}\0`);
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const entry = await entryOf(Number(name));
    if (entry === null) continue;
    if (entry.group === group || (await environmentOf(name)).includes(mark)) found.push(entry.pid);
  }
  return found;
}

async function environmentOf(pid: string): Promise<Buffer> {
  try {
    return await readFile(`/proc/${pid}/environ`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return Buffer.alloc(0);
    throw error;
  }
}

async function fromPs(group: number | null): Promise<number[]> {
  if (group === null) return [];
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,pgid=,stat=']);
  return stdout.split('\n').flatMap((line) => {
    const [pid, pgid, state] = line.trim().split(/\s+/);
    return Number(pgid) === group && !state?.startsWith('Z') ? [Number(pid)] : [];
  });
}
