/** The backend that a profile names, on this machine. Does not cover the store or the ledger (place.ts). */
import { delimiter, dirname, join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import type { Backend, JobSpec } from '../activities/backend.ts';
import type { Profile } from '../configs/schema.ts';
import type { JobCommand } from '../decisions/command-line.ts';
import { createLocalBackend, type LocalCommand } from '../local/backend.ts';
import { ownerOfRun } from '../store/run-directory.ts';
import { mustBeProgram } from './program-check.ts';
import { type Places, readPrograms } from './settings.ts';

export interface OpenBackend {
  readonly backend: Backend;
  /** Stops watching; jobs go on. */
  close(): Promise<void>;
}

export interface BackendPlaces {
  readonly places: Places;
  readonly storeDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws `environment-unusable`. */
export async function openBackend(
  profile: Profile,
  { places, storeDirectory, environment }: BackendPlaces,
): Promise<OpenBackend> {
  switch (profile.backend) {
    case 'local': {
      const { python } = readPrograms(environment, places);
      mustBeProgram(python, 'TEMPER_PYTHON');
      const backend = createLocalBackend({
        root: join(storeDirectory, 'local'),
        slots: profile.slots,
        command: (spec) => commandOf(spec, profile, { python, home: places.home, path: environment['PATH'] ?? '' }),
      });
      return {
        backend,
        close() {
          backend.close();
          return Promise.resolve();
        },
      };
    }
    case 'kubernetes': {
      // Half a second of loading that no other profile needs.
      const [{ createKubeClient }, { createKubernetesBackend }] = await Promise.all([
        import('../k8s/kube-client.ts'),
        import('../k8s/backend.ts'),
      ]);
      const backend = createKubernetesBackend(profile, createKubeClient(profile.context), {
        ownerOf: ownerOfRun,
        warn: (sentence) => {
          Runtime.instance().logger.warn(sentence);
        },
      });
      return { backend, close: () => backend.close() };
    }
  }
}

/** What a job runs: the recipe's own command, the profile's own trainer, or the built-in ones. */
function commandOf(
  { command }: JobSpec,
  { trainer }: Extract<Profile, { backend: 'local' }>,
  { python, home, path }: { readonly python: string; readonly home: string; readonly path: string },
): LocalCommand {
  if (command !== undefined) return foreignCommand(command, { python, path });
  const [file, ...args] = trainer ?? [];
  if (file !== undefined) return { file, args };
  return {
    file: python,
    args: ['-m', 'temper_trainers'],
    env: { PYTHONPATH: join(home, 'trainers'), PYTHONUNBUFFERED: '1' },
  };
}

/** It finds the programs of the worker's Python first: `python`, `torchrun`, `accelerate`. */
function foreignCommand(
  { argv, env, workingDirectory }: JobCommand,
  { python, path }: { readonly python: string; readonly path: string },
): LocalCommand {
  const [file = '', ...args] = argv;
  return { file, args, env: { PATH: [dirname(python), path].join(delimiter), ...env }, workingDirectory };
}
