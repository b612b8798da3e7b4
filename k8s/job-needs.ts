/** What a job asks of the cluster: the entries of a profile's `jobs` that fit it, the nearest first. Does not cover the manifest (job-manifest.ts). */
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import { TemperError } from '../decisions/errors.ts';

export interface JobNeeds {
  readonly image: string;
  /** Null: the image's own entry point. */
  readonly command: readonly string[] | null;
  /** Pods. */
  readonly nodes: number;
  /** Of each pod. */
  readonly gpus: number;
  readonly cpu: string | null;
  readonly memory: string | null;
  readonly sharedMemory: string | null;
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
  const { image, command, nodes, gpus, cpu, memory, sharedMemory } = nearest;
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
    gpus: gpus ?? 0,
    cpu: cpu ?? null,
    memory: memory ?? null,
    sharedMemory: sharedMemory ?? null,
  };
}
