/**
 * Tells a living process from a dead one even when its pid was given away again: pid, start time and boot must agree.
 *
 * A zombie is dead: nobody may be left to reap it. One of whose threads are still ending is not: its files, ports and GPU memory are still
 * held. Reads /proc where there is one, else asks `ps`. Does not cover other machines.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time as the system counts it. */
  readonly startTime: string;
  /** Which boot of the machine. */
  readonly boot: string;
}

/** One line of the process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly group: number;
  readonly startTime: string;
}

const run = promisify(execFile);
const hasProc = process.platform === 'linux';
let boot: Promise<string> | null = null;

/** Who this pid is now; null when no such process lives. */
export async function identityOf(pid: number): Promise<ProcessIdentity | null> {
  const entry = await entryOf(pid);
  return entry === null ? null : { pid, startTime: entry.startTime, boot: await bootNow() };
}

/** Which boot of the machine this is. */
export async function bootNow(): Promise<string> {
  boot ??= bootOfMachine();
  return await boot;
}

/** Whether that very process lives. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identityOf(identity.pid);
  return now !== null && now.startTime === identity.startTime && now.boot === identity.boot;
}

/** Process table entry of a pid; null when it is dead. */
export async function entryOf(pid: number): Promise<ProcessEntry | null> {
  return hasProc ? entryFromProc(pid) : entryFromPs(pid);
}

async function entryFromProc(pid: number): Promise<ProcessEntry | null> {
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
  // The name stands in parentheses and may hold anything; what follows begins with the state (field 3).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, group, threads, startTime] = [fields[0], fields[2], fields[17], fields[19]];
  const isOver = state === 'X' || (state === 'Z' && Number(threads) <= 1);
  if (isOver || group === undefined || startTime === undefined) return null;
  return { pid, group: Number(group), startTime };
}

async function entryFromPs(pid: number): Promise<ProcessEntry | null> {
  const line = await run('ps', ['-o', 'stat=,pgid=,lstart=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => '', // ps exits 1 when there is no such process
  );
  const match = /^(\S+)\s+(\d+)\s+(.+)$/.exec(line);
  if (match === null || match[1]?.startsWith('Z')) return null;
  return { pid, group: Number(match[2]), startTime: match[3] ?? '' };
}

async function bootOfMachine(): Promise<string> {
  if (hasProc) return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return (await run('sysctl', ['-n', 'kern.boottime'])).stdout.trim();
}
