/** Is there room for what is still to come? Asked before anything is written. */
import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { exitCodes, SetupProblem } from './problem.mjs';

const anotherPlace = 'set TEMPER_CACHE to a folder on another disk';

/**
 * Refuses when a disk has less free than the missing steps need.
 *
 * @param needs what each missing step writes: `[{folder, bytes}]`
 * @param disk how to ask, for tests: `{freeBytes(folder), deviceOf(folder)}`
 * @throws SetupProblem
 */
export function refuseFullDisk(needs, disk = realDisk) {
  const perDevice = new Map();
  for (const { folder, bytes } of needs) {
    const existing = nearestExisting(folder);
    const device = disk.deviceOf(existing);
    const sum = perDevice.get(device) ?? { folder: existing, bytes: 0 };
    perDevice.set(device, { folder: sum.folder, bytes: sum.bytes + bytes });
  }
  for (const { folder, bytes } of perDevice.values()) {
    const free = disk.freeBytes(folder);
    if (free >= bytes) continue;
    throw new SetupProblem(
      `the disk of ${folder} has ${inGigabytes(free)} free, and about ${inGigabytes(bytes)} is needed.`,
      {
        fix: `free some space, or ${anotherPlace}.`,
        exitCode: exitCodes.cannotCreate,
      },
    );
  }
}

/** Makes the cache folder, or says why it cannot be. */
export function makeWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new SetupProblem(`${folder} cannot be written (${error.code}).`, {
      fix: 'make it writable, or set TEMPER_CACHE to a folder that is.',
      exitCode: exitCodes.cannotCreate,
    });
  }
}

/** Bytes as a person reads them: `5.8 GB`, `120 MB`. */
export function inGigabytes(bytes) {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

const realDisk = {
  deviceOf: (folder) => statSync(folder).dev,
  freeBytes: (folder) => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  },
};

function nearestExisting(folder) {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  return existing;
}
