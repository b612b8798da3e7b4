/** A real Temporal server with two workers: one whose phases are Jobs of the cluster, and one whose phases are processes of this machine. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runDirectory } from '../../store/run-directory.ts';
import { createRunStore } from '../../store/run-store.ts';
import { type Site, startEmbedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { makeNamespace, type TestCluster } from './test-bed.ts';

export interface PipelineBed {
  readonly namespace: string;
  readonly onCluster: Site;
  readonly onMachine: Site;
  /** Directory of a training attempt of a pipeline on the cluster. */
  attempt(pipeline: string, phase: string, number: number): string;
  /** Resolves when a training attempt has a complete checkpoint beyond its start. */
  saved(directory: string): Promise<void>;
  close(): Promise<void>;
}

const profileName = 'test-cluster';

/** `jobs`: of the profile, beside the default. Needs a volume that is a folder of this machine, as our own cluster has it. */
export async function makePipelineBed(
  cluster: TestCluster,
  purpose: string,
  jobs: Readonly<Record<string, object>> = {},
): Promise<PipelineBed> {
  const namespace = await makeNamespace(cluster, purpose);
  const { name, volumeFolder: store, volumeClaim: claim } = namespace;
  if (store === null)
    throw new Error('these tests need a volume that is a folder of this machine: run them on our own cluster');
  const profile = {
    name: profileName,
    backend: 'kubernetes',
    namespace: name,
    store: { claim, path: store },
    jobs: { default: { image: cluster.trainerImage, memory: '3Gi' }, ...jobs },
    graceSeconds: 30,
  };
  const embedded = await startEmbedded();
  const profiles = join(embedded.folder, 'profiles');
  await mkdir(profiles);
  await writeFile(join(profiles, `${profileName}.yaml`), stringify(profile));
  const onCluster = await embedded.site('on-cluster', { TEMPER_PROFILES: profiles, TEMPER_TEST_PROFILE: profileName });
  const onMachine = await embedded.site('on-machine');
  await Promise.all([onCluster.startWorker(), onMachine.startWorker()]);
  return {
    namespace: name,
    onCluster,
    onMachine,
    attempt: (pipeline, phase, number) => runDirectory(store, { pipeline, phase, purpose: 'train', number }),
    async saved(directory) {
      await eventually('it has a complete checkpoint', 300, async () => {
        const found = await createRunStore(store)
          .checkpoints(directory)
          .catch(() => []);
        return found.some(({ level, step }) => level === 'complete' && step > 0);
      });
    },
    async close() {
      await embedded.close();
      await namespace.remove();
    },
  };
}
