/**
 * A site whose trainer costs nothing (trainers/bench/stand_in): real jobs, checkpoints and evaluations, ten steps a second, for tests
 * that ask for no learning. Does not cover a cluster (test/cluster/stand-in-bed.ts).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { repository } from '../../scripts/repository.ts';
import { readSettings } from '../../workers/settings.ts';
import type { Embedded, Site } from './embedded.ts';

/** No worker yet. */
export async function standInSite(embedded: Embedded, name: string): Promise<Site> {
  const profiles = join(embedded.folder, 'profiles');
  const trainers = join(repository, 'trainers');
  const { python } = readSettings(process.env);
  const trainer = ['env', `PYTHONPATH=${trainers}`, python, join(trainers, 'bench', 'stand_in')];
  await mkdir(profiles, { recursive: true });
  const profile = { name: 'local', backend: 'local', slots: 4, graceSeconds: 5, trainer };
  await writeFile(join(profiles, 'local.yaml'), stringify(profile));
  return await embedded.site(name, { TEMPER_PROFILES: profiles });
}

const params = { steps: 10, checkpointEvery: 5 };
const training = { kind: 'sft', data: { tiny: 'solutions' }, params: { ...params, learningRate: 0.1, batchSize: 1 } };

type Fields = Readonly<Record<string, unknown>>;

/** A base and these phases, each by its name with what differs from a short sft. */
export function standInRecipe(
  name: string,
  phases: Readonly<Record<string, { readonly params?: Fields; readonly [field: string]: unknown }>> = {},
): Fields {
  return {
    name,
    seed: 1,
    model: { tiny: { seed: 1 } },
    benchmarks: {
      coin: { data: { tiny: 'held-out', rows: 20 }, grader: 'boxed-integer', samples: 4 },
      public: { outside: true, problems: 50 },
    },
    phases: [
      { name: 'base', kind: 'base', params },
      ...Object.entries(phases).map(([phase, { params: more, ...fields }]) => ({
        ...{ name: phase, ...training, ...fields },
        params: { ...training.params, ...more },
      })),
    ],
  };
}
