/** Tells one process from another that got the same number later, and ends process groups. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When process `pid` was started, as an opaque word; undefined when there is no such process. A zombie is none, unless threads of it are
 * still ending: those hold its files and ports.
 *
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startTimeOf(pid) {
  if (process.platform === 'linux') {
    try {
      const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
      const [state, threads, started] = [afterName[0], Number(afterName[17]), afterName[19]];
      return state === 'Z' && threads <= 1 ? undefined : started;
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined;
      throw error;
    }
  }
  const shown = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return shown.status === 0 ? shown.stdout.trim() : undefined;
}

/** Is this the very process that was written down? */
export function isAlive({ pid, started }) {
  return started !== undefined && startTimeOf(pid) === started;
}

/** Sends `signal` to a whole process group; a group that is gone is fine. */
export function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
