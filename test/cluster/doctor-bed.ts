/** A namespace in which everything is there that a profile asks for, and `temper doctor` as a person runs it: what a test takes away, it tells. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { HealthCheck } from '../../decisions/health-check.ts';
import { repository } from '../../scripts/repository.ts';
import { startTemper, temper } from '../support/command-line.ts';
import { run } from './machine/programs.ts';
import { makeNamespace, type TestCluster } from './test-bed.ts';

export interface DoctorBed {
  readonly namespace: string;
  readonly store: string;
  /** Goes with the bed. */
  readonly folder: string;
  /** A profile of this name in which nothing is missing, but for what the changes bring. */
  writeProfile(name: string, changes?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Runs doctor on a profile that is changed so; `kubeconfig` of somebody else. */
  examine(changes?: Readonly<Record<string, unknown>>, more?: ExamineMore): Promise<Examined>;
  /** Starts it with these words, to be stopped. */
  start(words?: readonly string[]): ReturnType<typeof startTemper>;
  /** Runs a command that was printed, in a shell that finds kubectl and temper. */
  run(command: string): Promise<string>;
  close(): Promise<void>;
}

export interface ExamineMore {
  readonly words?: readonly string[];
  readonly kubeconfig?: string;
}

export interface Examined {
  readonly exitCode: number | null;
  readonly errors: string;
  readonly checks: readonly HealthCheck[];
  /** The first that is not fine, of this name. */
  readonly trouble: (name: string) => HealthCheck | undefined;
}

export async function makeDoctorBed(cluster: TestCluster): Promise<DoctorBed> {
  const namespace = await makeNamespace(cluster, 'doctor');
  const { volumeFolder: store, volumeClaim: claim } = namespace;
  if (store === null)
    throw new Error('these tests need a volume that is a folder of this machine: run them on our own cluster');
  const folder = await mkdtemp(join(tmpdir(), 'temper-doctor-'));
  const profiles = join(folder, 'profiles');
  await mkdir(profiles);
  const environment = { TEMPER_PROFILES: profiles, TEMPER_STORE: join(folder, 'store') };
  const path = [dirname(cluster.kubectlProgram), join(repository, 'node_modules', '.bin'), process.env['PATH']].join(
    delimiter,
  );
  let profilesMade = 0;
  const bed: DoctorBed = {
    namespace: namespace.name,
    store,
    folder,
    async writeProfile(name, changes = {}) {
      const profile = {
        name,
        backend: 'kubernetes',
        namespace: namespace.name,
        store: { claim, path: store },
        jobs: { default: { image: cluster.busyboxImage, memory: '64Mi' } },
        ...changes,
      };
      await writeFile(join(profiles, `${name}.yaml`), stringify(profile));
    },
    async examine(changes = {}, { words = [], kubeconfig } = {}) {
      const profile = `site-${String((profilesMade += 1))}`;
      await bed.writeProfile(profile, changes);
      const said = await temper(['doctor', ...words, '--profile', profile, '--json'], {
        environment: { ...environment, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) },
      });
      const { checks } = said.output === '' ? { checks: [] } : (JSON.parse(said.output) as Pick<Examined, 'checks'>);
      return {
        exitCode: said.exitCode,
        errors: said.errors,
        checks,
        trouble: (name) => checks.find((check) => check.name === name && check.verdict !== 'ok'),
      };
    },
    start: (words = []) => startTemper(['doctor', '--profile', 'site', ...words], { environment }),
    run: (command) => run('sh', ['-ec', command], { environment: { ...process.env, ...environment, PATH: path } }),
    async close() {
      await rm(folder, { recursive: true, force: true });
      await namespace.remove();
    },
  };
  return bed;
}
