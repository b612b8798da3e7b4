/** What a job asks of the cluster: the entries of a profile's `jobs` that fit it, the nearest first. Does not cover the manifest (k8s/job-manifest.ts). */
import { TemperError } from '../decisions/errors.ts';
import { trainerRole } from './schema-command.ts';
import type { KubernetesProfile } from './schema-profile.ts';
import type { Phase, Profile } from './schema.ts';

export interface JobNeeds extends JobPlacing {
  readonly image: string;
}

/** The same without the image. */
export interface JobPlacing {
  /** Null: the image's own entry point. */
  readonly command: readonly string[] | null;
  /** Pods that train. */
  readonly nodes: number;
  /** Pods of further roles by name; those that the job's command does not have count for nothing. */
  readonly roles: Readonly<Record<string, number>>;
  /** Of each pod. */
  readonly gpus: number;
  readonly cpu: string | null;
  readonly memory: string | null;
  readonly sharedMemory: string | null;
}

/** The pod whose log says how far a foreign trainer is: Megatron-LM prints its steps on its last rank, others on their first. */
export function rankThatSpeaks(phase: Phase, profile: Profile): number {
  if (phase.kind !== 'command' || phase.params.progress !== 'megatron' || profile.backend !== 'kubernetes') return 0;
  return needsOf(profile, { phase: phase.name, kind: phase.kind }).nodes - 1;
}

/** The pods of a job by their role, and the GPUs of each. */
export interface JobShape {
  readonly pods: Readonly<Record<string, number>>;
  readonly gpus: number;
}

/** Of a phase that trains. */
export function jobShapeOf(profile: KubernetesProfile, phase: Phase): JobShape {
  const { nodes, roles, gpus } = placingOf(profile, { phase: phase.name, kind: phase.kind });
  const named = phase.kind === 'command' ? Object.keys(phase.params.roles ?? {}) : [];
  const others = named.map((role) => [role, roles[role] ?? 0] as const);
  return { pods: Object.fromEntries([[trainerRole, nodes], ...others]), gpus };
}

/** What an hour of an evaluation, or of a phase's training, takes of a budget of GPU-hours. */
export function gpusOfJob(profile: Profile, job: Phase | 'evaluate'): number {
  if (profile.backend !== 'kubernetes') return 1;
  const { pods, gpus } = job === 'evaluate' ? evaluationShape(profile) : jobShapeOf(profile, job);
  const all = Object.values(pods).reduce((sum, count) => sum + count, 0) * gpus;
  // An hour of a job without any counts as one: a budget bounds it too.
  return Math.max(1, all);
}

function evaluationShape(profile: KubernetesProfile): JobShape {
  const { nodes, gpus } = placingOf(profile, { phase: 'evaluate', kind: 'evaluate' });
  return { pods: { [trainerRole]: nodes }, gpus };
}

/** One job of a phase. */
interface JobOfPhase {
  readonly phase: string;
  /** Kind of the phase, `seal` or `evaluate`. */
  readonly kind: string;
  /** Which the command itself names, before the profile's. */
  readonly image?: string | null;
}

type Placed = Pick<KubernetesProfile, 'name' | 'jobs'>;

/** Throws `invalid-input` where no image is named. */
export function needsOf(profile: Placed, job: JobOfPhase): JobNeeds {
  const image = job.image ?? nearestOf(profile, job).image;
  if (image === undefined)
    throw new TemperError('invalid-input', `phase "${job.phase}" ${wordsWithoutImage(profile, job)}`);
  return { image, ...placingOf(profile, job) };
}

/** What is wrong where no image is named, for people; null where one is. */
export function imageMissing(profile: Placed, job: JobOfPhase): string | null {
  const image = job.image ?? nearestOf(profile, job).image;
  return image === undefined ? wordsWithoutImage(profile, job) : null;
}

export function placingOf(profile: Placed, job: JobOfPhase): JobPlacing {
  const { command, nodes, roles, gpus, cpu, memory, sharedMemory } = nearestOf(profile, job);
  return {
    command: command ?? null,
    nodes: nodes ?? 1,
    roles: roles ?? {},
    gpus: gpus ?? 0,
    cpu: cpu ?? null,
    memory: memory ?? null,
    sharedMemory: sharedMemory ?? null,
  };
}

/**
 * `jobs.<phase>` before `jobs.<kind>` before `jobs.default`, field by field; an evaluation of a phase is of kind `evaluate` and asks for
 * nothing of the phase.
 */
function nearestOf({ jobs }: Placed, { phase, kind }: JobOfPhase): KubernetesProfile['jobs'][string] {
  const isOwn = kind !== 'evaluate' && kind !== 'seal';
  return { ...jobs['default'], ...jobs[kind], ...(isOwn ? jobs[phase] : {}) };
}

function wordsWithoutImage({ name }: Placed, { kind }: JobOfPhase): string {
  return `has jobs of kind ${kind}, for which profile "${name}" names no image: set jobs.default.image or jobs.${kind}.image`;
}
