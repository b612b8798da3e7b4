/**
 * Where a cluster of the tests puts things, and which addresses it has. Plain data: nothing is made here.
 *
 * Binaries and images are kept in a cache outside the tree; what one cluster makes lies in one short folder (unix sockets take 107
 * characters at most) and is thrown away with it. Several clusters fit on a machine, each in its slot with its own addresses.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { repository } from '../../../scripts/repository.ts';

/** How many clusters fit on one machine at a time. */
export const slotCount = 8;

/** Where the states of all clusters of this machine lie: the same for every checkout, so that they see each other. */
export const clustersFolder = '/var/tmp/temper-cluster';

export interface CachePlaces {
  readonly repository: string;
  readonly cache: string;
  readonly lock: string;
  /** The program at work of a build, for the next one to end when this one is killed. */
  readonly child: string;
  readonly logs: string;
  /** The wrapper modules of what is built with Go. */
  readonly modules: string;
  readonly trainers: string;
}

/** TEMPER_CLUSTER_CACHE, else the user's cache folder (XDG). */
export function findCache(environment: Readonly<Record<string, string | undefined>>): CachePlaces {
  const ofUser = environment['XDG_CACHE_HOME'] ?? join(environment['HOME'] ?? homedir(), '.cache');
  const cache = resolve(environment['TEMPER_CLUSTER_CACHE'] ?? join(ofUser, 'temper-cluster'));
  return {
    repository,
    cache,
    lock: join(cache, 'build.lock'),
    child: join(cache, 'build.child'),
    logs: join(cache, 'logs'),
    modules: join(import.meta.dirname, '..', 'go'),
    trainers: join(repository, 'trainers'),
  };
}

export interface SlotPlaces {
  readonly slot: number;
  /** Survives a killed `up`: what `down` needs to know. */
  readonly state: string;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly keys: string;
  readonly logs: string;
  readonly containerd: string;
  readonly containerdSocket: string;
  /** Folders of the volumes that tests ask for. */
  readonly volumes: string;
  /** The host's end of the link to the cluster. */
  readonly link: string;
  readonly hostAddress: string;
  readonly uplinkAddress: string;
  readonly podNetwork: string;
  /** The node, the API server (port 443), the pods' gateway and their DNS server. */
  readonly nodeAddress: string;
}

/** The places of the cluster in `slot`, 0 to `slotCount` - 1. */
export function placesOfSlot(slot: number, root = clustersFolder): SlotPlaces {
  const folder = join(root, String(slot));
  const net = String(slot);
  return {
    slot,
    state: join(root, `${String(slot)}.json`),
    folder,
    kubeconfig: join(folder, 'kubeconfig'),
    keys: join(folder, 'keys'),
    logs: join(folder, 'logs'),
    containerd: join(folder, 'containerd'),
    containerdSocket: join(folder, 'containerd.sock'),
    volumes: join(folder, 'volumes'),
    link: `temper${net}`,
    hostAddress: `10.245.${net}.1`,
    uplinkAddress: `10.245.${net}.2`,
    podNetwork: `10.244.${net}.0/24`,
    nodeAddress: `10.244.${net}.1`,
  };
}
