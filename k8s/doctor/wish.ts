/**
 * What jobs ask of a cluster, read from the very manifests that would be submitted: a site's own patch of the pod template counts too.
 *
 * Does not cover init containers, or affinities that a patch adds: the scheduler alone knows those.
 */
import { labels } from '../labels.ts';
import type { Job } from '../kube-types.ts';
import { amountOf } from '../quantity.ts';
import { trainerContainer } from '../pod-template.ts';

export interface JobWish {
  /** As a person calls it: `sft`, `the evaluation of sft`. */
  readonly title: string;
  readonly phase: string;
  readonly manifest: Job;
  readonly pods: number;
  readonly image: string;
  /** Of one pod, in base units. */
  readonly requests: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, number>>;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export function wishOf(manifest: Job): JobWish {
  const { parallelism = 1, template } = manifest.spec ?? {};
  const { containers = [], nodeSelector = {}, tolerations = [] } = template?.spec ?? {};
  const { [labels.phase]: phase = '', [labels.kind]: kind = '' } = manifest.metadata?.labels ?? {};
  return {
    title: kind === 'evaluate' && phase !== kind ? `the evaluation of ${phase}` : phase,
    phase,
    manifest,
    pods: parallelism,
    image: containers.find(({ name }) => name === trainerContainer)?.image ?? '',
    requests: sumOf(containers.map(({ resources }) => ({ ...resources?.limits, ...resources?.requests }))),
    limits: sumOf(containers.map(({ resources }) => resources?.limits ?? {})),
    nodeSelector,
    tolerations,
  };
}

export function sumOf(each: readonly Readonly<Record<string, string>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [resource, quantity] of each.flatMap((one) => Object.entries(one)))
    sum[resource] = (sum[resource] ?? 0) + amountOf(quantity);
  return sum;
}
