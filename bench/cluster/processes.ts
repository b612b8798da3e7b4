/** What processes of this machine take, from /proc: memory now and at its highest, and seconds of processor. */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import { readState } from '../../test/cluster/life/state.ts';

/** Of Linux: a clock tick is a hundredth of a second everywhere. */
const ticksPerSecond = 100;
const mebibyte = 1024;

export interface Taken {
  /** Resident, MiB. */
  readonly memory: number;
  readonly highestMemory: number;
  readonly cpuSeconds: number;
}

/** Null for a process that is gone. */
export function takenBy(pid: number): Taken | null {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    const kibibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    // The name, in parentheses, may hold spaces: fields are counted from behind it.
    const [, rest = ''] = readFileSync(`/proc/${String(pid)}/stat`, 'utf8').split(/\) (?=[A-Z] )/);
    const fields = rest.split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      memory: kibibytes('VmRSS') / mebibyte,
      highestMemory: kibibytes('VmHWM') / mebibyte,
      cpuSeconds: ticks / ticksPerSecond,
    };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** Every daemon of a cluster by its name, and `others` by theirs. */
export function takenByAll(
  places: SlotPlaces,
  others: Readonly<Record<string, number>> = {},
): ReadonlyMap<string, Taken> {
  return new Map(
    [...daemonsOf(places), ...Object.entries(others)].flatMap(([name, pid]) => {
      const taken = takenBy(pid);
      return taken === null ? [] : [[name, taken] as const];
    }),
  );
}

/** Every daemon of a cluster. */
export const pidsOf = (places: SlotPlaces): readonly number[] => daemonsOf(places).map(([, pid]) => pid);

function daemonsOf(places: SlotPlaces): readonly (readonly [string, number])[] {
  const daemons = Object.entries(readState(places.state)?.daemons ?? {});
  return daemons.flatMap(([name, { process: mark }]) => (mark === null ? [] : [[name, mark.pid] as const]));
}

/** Runnable processes of the whole machine over the last minute: what else went on beside a measurement. */
export const loadOfMachine = (): number => loadavg()[0] ?? 0;
