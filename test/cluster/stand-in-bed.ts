/**
 * Pipelines on a real cluster whose trainer costs nothing (trainers/bench/stand_in): a namespace with a witness, a Temporal server, and
 * sites with a profile each. Needs a volume that is a folder of this machine.
 */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { repository } from '../../scripts/repository.ts';
import { type Embedded, type Site, startEmbedded } from '../support/embedded.ts';
import { type JobWitness, watchJobs } from './job-witness.ts';
import { makeNamespace, type TestCluster } from './test-bed.ts';

export interface StandInBed {
  readonly namespace: string;
  readonly witness: JobWitness;
  readonly embedded: Embedded;
  /** Folder of the volume on this machine: the store of its sites. */
  readonly volume: string;
  /** The program of the trainer in pods: `python` of it. */
  readonly standIn: string;
  /** A task queue with workers of its own; `profile` over the bed's own. */
  site(name: string, profile?: Readonly<Record<string, unknown>>): Promise<Site>;
  /** Names of the Jobs that are there now. */
  jobs(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Trains, but for the first attempt of a pipeline whose id begins with `fails`. */
const trainer = `case "$(tr -d ' \\n' < "$TEMPER_REQUEST")" in
*'"pipeline":"fails'*'"attempt":1,'*) exit 139;;
esac
exec python "$TEMPER_STAND_IN" --step-seconds 0.2`;

export async function makeStandInBed(cluster: TestCluster, purpose: string): Promise<StandInBed> {
  const namespace = await makeNamespace(cluster, purpose);
  const { name, volumeFolder: volume, volumeClaim: claim } = namespace;
  if (volume === null) throw new Error('these tests need a volume that is a folder of this machine');
  const standIn = join(volume, 'stand-in');
  await cp(join(repository, 'trainers', 'bench', 'stand_in'), standIn, { recursive: true });
  const embedded = await startEmbedded();
  const witness = await watchJobs(cluster.kubeconfig, name);
  const profiles = join(embedded.folder, 'profiles');
  await mkdir(profiles);
  const own = {
    backend: 'kubernetes',
    namespace: name,
    store: { claim, path: volume },
    jobs: { default: { image: cluster.trainerImage, command: ['sh', '-c', trainer] } },
    environment: { TEMPER_STAND_IN: standIn },
    graceSeconds: 5,
  };
  return {
    namespace: name,
    witness,
    embedded,
    volume,
    standIn,
    async site(site, profile = {}) {
      await writeFile(join(profiles, `${site}.yaml`), stringify({ ...own, ...profile, name: site }));
      return await embedded.site(site, { TEMPER_PROFILES: profiles, TEMPER_TEST_PROFILE: site });
    },
    async jobs() {
      const named = await cluster.kubectl(['--namespace', name, 'get', 'jobs', '--output', 'name']);
      return named
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.replace(/^.*\//, ''));
    },
    async close() {
      await embedded.close();
      witness.close();
      await namespace.remove();
    },
  };
}

/** A recipe of these phases, each of so many short steps. Its seed makes it another's work than that of any other. */
export function standInRecipe(
  seed: number,
  {
    steps = 5,
    phases = ['base'],
    ...more
  }: { steps?: number; phases?: readonly string[]; [field: string]: unknown } = {},
): Record<string, unknown> {
  const params = { steps, checkpointEvery: 2 };
  return {
    name: 'stand-in',
    seed,
    model: { tiny: { seed } },
    phases: phases.map((kind) => ({
      name: kind,
      kind,
      ...(kind === 'base'
        ? { params }
        : {
            data: { tiny: kind === 'sft' ? 'solutions' : 'problems' },
            params: { ...params, learningRate: 0.1, batchSize: 1 },
          }),
    })),
    ...more,
  };
}
