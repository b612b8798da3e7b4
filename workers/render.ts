/**
 * The manifests of a recipe on a profile of Kubernetes, as a person reads and applies them. Touches no cluster.
 *
 * Covers the first attempt of each phase and, where it is evaluated, its first evaluation job; and what a namespace needs once. Does not cover `request.json`, which a
 * worker writes when the attempt is opened.
 */
import { stringify } from 'yaml';
import type { Phase, Recipe } from '../configs/schema.ts';
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import { checkpointShortName } from '../decisions/checkpoint-id.ts';
import type { JobCommand } from '../decisions/command-line.ts';
import { dueSteps } from '../decisions/due-steps.ts';
import { jobName } from '../decisions/job-name.ts';
import { jobManifest, type JobOrder, rendezvousService } from '../k8s/job-manifest.ts';
import { workerRole } from '../k8s/rights.ts';
import { runDirectory, runFiles, type RunPlace } from '../store/run-directory.ts';
import { firstCommands } from './first-commands.ts';

export interface Manifest {
  /** What a person reads above it. */
  readonly title: string;
  readonly object: object;
}

/** Throws `invalid-input` where the profile cannot run a phase of the recipe. */
export function manifestsOf(recipe: Recipe, profile: KubernetesProfile, pipeline: string): Manifest[] {
  const commands = firstCommands(recipe, profile.store.path, pipeline);
  const jobs = recipe.phases.flatMap((each) => {
    const { name, kind, evaluate } = each;
    const train = { pipeline, phase: name, purpose: 'train', number: 1 } as const;
    const evaluation = { ...train, purpose: 'evaluate' } as const;
    return [
      jobOf(train, { kind, command: commands.get(name), looksAt: {} }, profile),
      ...(evaluate === undefined ? [] : [jobOf(evaluation, { kind: 'evaluate', looksAt: firstLook(each) }, profile)]),
    ];
  });
  return [serviceOf(profile), ...jobs];
}

/** What a namespace needs once, whatever runs there: made by somebody who may, since a worker may not give itself rights. */
export function setupManifests(profile: KubernetesProfile): Manifest[] {
  return [{ title: 'What a worker may do here', object: workerRole(profile) }, serviceOf(profile)];
}

function serviceOf(profile: KubernetesProfile): Manifest {
  return { title: 'Once a namespace: how the pods of a job find each other', object: rendezvousService(profile) };
}

/** One YAML text that `kubectl apply -f -` takes. */
export function manifestsText(manifests: readonly Manifest[]): string {
  return manifests.map(({ title, object }) => `---\n# ${title}\n${stringify(object, { lineWidth: 0 })}`).join('');
}

/** What the first evaluation of a phase looks at. */
function firstLook(phase: Phase): Work['looksAt'] {
  const checkpoints = dueSteps(phase)
    .slice(0, 1)
    .map((step) => checkpointShortName({ phase: phase.name, step }));
  return { checkpoints, benchmarks: phase.evaluate?.benchmarks ?? [] };
}

interface Work {
  readonly kind: string;
  readonly looksAt: Pick<JobOrder['labels'], 'checkpoints' | 'benchmarks'>;
  readonly command?: JobCommand | undefined;
}

function jobOf(place: RunPlace, { kind, command, looksAt }: Work, profile: KubernetesProfile): Manifest {
  const { pipeline, phase, purpose, number: attempt } = place;
  const { directory, request } = runFiles(runDirectory(profile.store.path, place));
  const isTraining = purpose === 'train';
  const name = jobName({ workflowId: pipeline, phase: isTraining ? phase : `${phase}/evaluation`, attempt });
  const order = {
    name,
    directory,
    requestPath: request,
    memoryFactor: 1,
    sharedMemoryFactor: 1,
    avoidNodes: [],
    labels: { pipeline, phase, kind, attempt, workflowId: pipeline, ...looksAt },
    ...(command === undefined ? {} : { command }),
  };
  return {
    title: isTraining ? `Phase ${phase} (${kind}), attempt 1` : `Phase ${phase}, its first evaluation`,
    object: jobManifest(order, profile),
  };
}
