/**
 * How many jobs this machine runs at once, and what each of them may see.
 *
 * Covers NVIDIA GPUs by `nvidia-smi`, and cores on a machine without. Does not cover MIG or other accelerators: give a number.
 */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

export interface MachineSlots {
  readonly total: number;
  /** Values of CUDA_VISIBLE_DEVICES by slot; null on a machine without GPUs. */
  readonly devices: readonly string[] | null;
}

export async function slotsOfMachine(slots: number | 'auto'): Promise<MachineSlots> {
  const devices = await visibleDevices();
  const counted = devices?.length ?? availableParallelism();
  return { total: slots === 'auto' ? counted : slots, devices };
}

async function visibleDevices(): Promise<readonly string[] | null> {
  const given = process.env['CUDA_VISIBLE_DEVICES'];
  if (given !== undefined) {
    const named = given.split(',').map((name) => name.trim());
    return given === '' || given === '-1' ? null : named;
  }
  const listed = await promisify(execFile)('nvidia-smi', ['-L'], { timeout: 10_000 }).then(
    ({ stdout }) => stdout.split('\n').filter((line) => line.startsWith('GPU ')),
    () => [], // no such program, or no driver: a machine without GPUs
  );
  return listed.length === 0 ? null : listed.map((_line, index) => String(index));
}
