/** What a job asks of the cluster: the entries of a profile's `jobs` that fit it, the nearest first. Does not cover the manifest (k8s/job-manifest.ts). */
import { TemperError } from '../decisions/errors.ts';
import { trainerRole } from './schema-command.ts';
import type { KubernetesProfile } from './schema-profile.ts';
import type { Phase, Profile } from './schema.ts';

export interface JobNeeds {
  readonly image: string;
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

/** Of a phase that trains. Throws as `needsOf`. */
export function jobShapeOf(profile: KubernetesProfile, phase: Phase): JobShape {
  const { nodes, roles, gpus } = needsOf(profile, { phase: phase.name, kind: phase.kind });
  const named = phase.kind === 'command' ? Object.keys(phase.params.roles ?? {}) : [];
  const others = named.map((role) => [role, roles[role] ?? 0] as const);
  return { pods: Object.fromEntries([[trainerRole, nodes], ...others]), gpus };
}

/**
 * `jobs.<phase>` before `jobs.<kind>` before `jobs.default`, field by field; an evaluation of a phase is of kind `evaluate` and asks for
 * nothing of the phase. Throws `invalid-input` where no image is named.
 */
export function needsOf(
  { name, jobs }: Pick<KubernetesProfile, 'name' | 'jobs'>,
  job: { readonly phase: string; readonly kind: string },
): JobNeeds {
  const isOwn = job.kind !== 'evaluate' && job.kind !== 'seal';
  const nearest = { ...jobs['default'], ...jobs[job.kind], ...(isOwn ? jobs[job.phase] : {}) };
  const { image, command, nodes, roles, gpus, cpu, memory, sharedMemory } = nearest;
  if (image === undefined) {
    throw new TemperError(
      'invalid-input',
      `profile "${name}" names no image for ${job.kind} (phase "${job.phase}"): set jobs.default.image or jobs.${job.kind}.image`,
    );
  }
  return {
    image,
    command: command ?? null,
    nodes: nodes ?? 1,
    roles: roles ?? {},
    gpus: gpus ?? 0,
    cpu: cpu ?? null,
    memory: memory ?? null,
    sharedMemory: sharedMemory ?? null,
  };
}
