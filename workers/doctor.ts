/** What a recipe lacks on a profile: the machine's checks or the cluster's, whichever the profile runs on. Does not cover how it is printed. */
import { loadRecipes } from '../configs/load.ts';
import type { Profile, Recipe } from '../configs/schema.ts';
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import { placementWarnings, profileWarnings } from '../configs/placement-warnings.ts';
import { type HealthCheck, warning } from '../decisions/health-check.ts';
import type { NodeMemory } from '../k8s/doctor/judge-node-memory.ts';
import type { Job } from '../k8s/kube-types.ts';
import { manifestsOf } from './render.ts';
import { readPlaces, readSettings } from './settings.ts';

export interface Examination {
  readonly profile: Profile;
  /** Null: everything that the profile has an entry for. */
  readonly recipe: Recipe | null;
  /** How long a pod may take to come up. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
  /** What a worker remembers of nodes that failed. */
  readonly askNodes: () => Promise<NodeMemory>;
  /** What the Temporal server lacks; asks nothing of a backend. */
  readonly askServer: () => Promise<readonly HealthCheck[]>;
}

export interface Examined {
  /** Where it looked, in a line. */
  readonly place: string;
  readonly checks: readonly HealthCheck[];
}

/** Rejects when the signal comes; by then nothing that was made is left. Throws `environment-unusable`, `invalid-input`. */
export async function examine(examination: Examination): Promise<Examined> {
  const asked = await examination.askServer();
  const { place, checks } = await examineBackend(examination);
  return { place, checks: [...asked, ...checks] };
}

async function examineBackend(examination: Examination): Promise<Examined> {
  const { profile, recipe, environment } = examination;
  switch (profile.backend) {
    case 'local': {
      const { examineMachine } = await import('./doctor-local.ts');
      return {
        place: 'processes of this machine',
        checks: await examineMachine(profile, readSettings(environment), recipe),
      };
    }
    case 'kubernetes':
      return await examineOn(profile, examination);
  }
}

async function examineOn(
  profile: KubernetesProfile,
  { recipe, seconds, signal, environment, askNodes }: Examination,
): Promise<Examined> {
  const [{ createKubeClient }, { examineCluster }, { judgeNodeMemory }, { jobsOfProfile }] = await Promise.all([
    import('../k8s/kube-client.ts'),
    import('../k8s/doctor/doctor.ts'),
    import('../k8s/doctor/judge-node-memory.ts'),
    import('../k8s/doctor/profile-jobs.ts'),
  ]);
  const jobs =
    recipe === null
      ? jobsOfProfile(profile)
      : manifestsOf(recipe, profile, recipe.name).flatMap(({ object }) => (isJob(object) ? [object] : []));
  const client = createKubeClient(profile.context);
  try {
    const checks = await examineCluster({ client, profile, jobs, seconds, signal });
    return {
      place: `Jobs in namespace ${profile.namespace} of ${client.server}`,
      checks: [
        ...(await doubtsOf(profile, recipe, environment)),
        // Of a cluster that does not answer nothing else is told.
        ...(checks.some(({ name }) => name === 'server')
          ? []
          : judgeNodeMemory(await askNodes(), client.cluster, profile)),
        ...checks,
      ],
    };
  } finally {
    await client.close();
  }
}

/** What is allowed and doubtful, of the profile and the recipe. */
async function doubtsOf(
  profile: KubernetesProfile,
  recipe: Recipe | null,
  environment: NodeJS.ProcessEnv,
): Promise<HealthCheck[]> {
  const doubts =
    recipe === null
      ? profileWarnings(profile, await loadRecipes(readPlaces(environment).recipesDirectory))
      : placementWarnings(profile, recipe);
  return doubts.map((sentence) => warning('profile', sentence));
}

const isJob = (object: object): object is Job => 'kind' in object && object.kind === 'Job';
