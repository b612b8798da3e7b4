/** The processes of a job's pods as this machine sees them: the node lives in namespaces within ours. Not on a foreign cluster. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** By the token that each of them was given. */
export function processesOfJob(uid: string): readonly number[] {
  return processesWith(`TEMPER_JOB_TOKEN=${uid}`);
}

/** By the directory of the attempt, where nobody has asked for the Job yet. */
export function processesOfAttempt(directory: string): readonly number[] {
  return processesWith(`TEMPER_REQUEST=${join(directory, 'request.json')}`);
}

function processesWith(variable: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      return environment.includes(variable) ? [Number(name)] : [];
    } catch {
      return []; // it has ended
    }
  });
}

export function signalAll(processes: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of processes) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // else it ended by itself since it was seen
    }
  }
}
