/** The slots of this machine: which clusters there are, and a free one for a new one. One process at a time looks for a slot. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../scripts/repository.ts';
import { alone } from '../../../scripts/setup/lock.mjs';
import { exitCodes, SetupProblem } from '../../../scripts/setup/problem.mjs';
import { isAlive } from '../../../scripts/setup/processes.mjs';
import { clustersFolder, placesOfSlot, slotCount } from '../machine/places.ts';
import type { SlotPlaces } from '../machine/places.ts';
import { standingOf } from './standing.ts';
import type { Standing } from './standing.ts';
import type { ClusterState, ProcessMark } from './state.ts';
import { readState, writeState } from './state.ts';
import { takeDown } from './take-down.ts';

export interface Found {
  readonly places: SlotPlaces;
  readonly standing: Standing;
}

/** Every slot with what stands in it. */
export function listSlots(): readonly Found[] {
  return Array.from({ length: slotCount }, (_, slot) => {
    const places = placesOfSlot(slot);
    return { places, standing: standingOf(readState(places.state), { isAlive, exists: existsSync }) };
  });
}

/** The cluster that was brought up by hand from this checkout. */
export function findOwn(): Found | undefined {
  return listSlots().find(({ standing }) => standing.kind === 'by-hand' && standing.state.repository === repository);
}

/** Runs `work` while no other process takes or clears a slot of this machine. */
async function withSlots<T>(say: (line: string) => void, work: () => Promise<T>): Promise<T> {
  mkdirSync(clustersFolder, { recursive: true });
  const places = { lock: join(clustersFolder, 'slots.lock'), child: join(clustersFolder, 'slots.child') };
  return await alone({ places, say, what: 'command on the clusters of this machine', release: () => undefined }, work);
}

/** Takes down what was brought up by hand from this checkout, and what is left of killed commands; resolves to how many that were. */
export async function takeDownOwn(say: (line: string) => void): Promise<number> {
  return await withSlots(say, async () => {
    const ours = listSlots().filter(
      ({ standing }) =>
        standing.kind === 'leftover' || (standing.kind === 'by-hand' && standing.state.repository === repository),
    );
    for (const { places } of ours) await takeDown(places);
    return ours.length;
  });
}

/** Takes down what process `owner` has brought up, and then what is left of killed commands, which may hang. */
export async function takeDownOf(owner: ProcessMark, say: (line: string) => void): Promise<void> {
  const isOurs = ({ standing }: Found) =>
    standing.kind === 'owned' && standing.owner.pid === owner.pid && standing.owner.started === owner.started;
  await withSlots(say, async () => {
    const found = listSlots();
    const leftovers = found.filter(({ standing }) => standing.kind === 'leftover');
    for (const { places } of [...found.filter(isOurs), ...leftovers]) await takeDown(places);
  });
}

export interface Claim {
  readonly owner: ProcessMark;
  readonly environment: ClusterState['environment'];
  readonly kubectl: string;
  readonly say: (line: string) => void;
}

/** Takes the first free slot; what is left of a killed one is cleared away first. Rejects when all are taken. */
export async function claimSlot({ owner, environment, kubectl, say }: Claim): Promise<SlotPlaces> {
  return await withSlots(say, async () => {
    for (const { places, standing } of listSlots()) {
      if (standing.kind === 'by-hand' || standing.kind === 'owned') continue;
      if (standing.kind === 'leftover') {
        say(`Clearing away what is left of a cluster: ${standing.because}.`);
        await takeDown(places);
      }
      writeState(places.state, {
        mark: `temper-cluster-${randomBytes(8).toString('hex')}`,
        slot: places.slot,
        repository,
        owner,
        phase: 'starting',
        init: null,
        daemons: {},
        environment,
        kubectl,
      });
      return places;
    }
    throw new SetupProblem(`${String(slotCount)} clusters of tests are up on this machine already.`, {
      fix: '`npm run cluster -- status` lists them; take one down where it was brought up.',
      exitCode: exitCodes.cannotCreate,
    });
  });
}
