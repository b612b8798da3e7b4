/**
 * Whether the quotas of the namespace leave room for the largest phase: its training and an evaluation beside it. Pure.
 *
 * Phases run one after another. Does not cover quotas of Kueue, or such as count only some pods (scopes).
 */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { fine, type HealthCheck, missing, notChecked, warning } from '../../decisions/health-check.ts';
import { amountOf } from '../quantity.ts';
import { amountText } from './amount-text.ts';
import type { Quota } from './cluster-objects.ts';
import { kubectlIn } from './commands.ts';
import type { ClusterFacts } from './facts.ts';
import type { JobWish } from './wish.ts';

export function judgeQuota(
  { quotas }: Pick<ClusterFacts, 'quotas'>,
  profile: KubernetesProfile,
  wishes: readonly JobWish[],
): HealthCheck[] {
  if (quotas.state !== 'found')
    return [notChecked('quota', quotas.state === 'unreadable' ? quotas.why : 'there is no such list')];
  const needs = needsByResource(wishes);
  const checks = quotas.value.flatMap((quota) => judgeOne(quota, needs, profile));
  if (checks.length > 0) return checks;
  const names = quotas.value.map(({ metadata }) => metadata.name);
  return [fine('quota', names.length === 0 ? 'the namespace has none' : `${names.join(', ')}: enough is free`)];
}

interface Need {
  readonly amount: number;
  readonly title: string;
}

function judgeOne(quota: Quota, needs: ReadonlyMap<string, Need>, profile: KubernetesProfile): HealthCheck[] {
  const { name } = quota.metadata;
  if (quota.spec.scopeSelector !== undefined || (quota.spec.scopes ?? []).length > 0)
    return [notChecked('quota', `${name} counts only some pods: whether these are among them is not known`)];
  const { hard = {}, used = {} } = quota.status ?? {};
  return Object.entries(hard).flatMap(([resource, limit]) => {
    const need = needs.get(resource);
    if (need === undefined) return [];
    const [whole, taken] = [amountOf(limit), amountOf(used[resource] ?? '0')];
    const asks = `${need.title} asks for ${amountText(resource, need.amount)}`;
    if (need.amount > whole)
      return [
        missing(
          'quota',
          `${asks}, and quota ${name} allows ${amountText(resource, whole)}`,
          raise(quota, need.amount, { resource, profile }),
        ),
      ];
    if (need.amount > whole - taken)
      return [
        warning(
          'quota',
          `${asks}, and quota ${name} has ${amountText(resource, whole - taken)} free now: it waits until others end`,
        ),
      ];
    return [];
  });
}

function raise(
  { metadata }: Quota,
  amount: number,
  { resource, profile }: { readonly resource: string; readonly profile: KubernetesProfile },
) {
  const patch = JSON.stringify({ spec: { hard: { [resource]: String(Math.ceil(amount)) } } });
  return { command: kubectlIn(profile, 'patch', 'resourcequota', metadata.name, '--type=merge', '-p', patch) };
}

/** Of each resource, as quotas call it, what the phase that asks most of it asks for. */
function needsByResource(wishes: readonly JobWish[]): ReadonlyMap<string, Need> {
  const byPhase = new Map<string, JobWish[]>();
  for (const wish of wishes) byPhase.set(wish.phase, [...(byPhase.get(wish.phase) ?? []), wish]);
  const most = new Map<string, Need>();
  for (const jobs of byPhase.values()) {
    const title = jobs.map((job) => job.title).join(' with ');
    for (const [resource, amount] of Object.entries(sumOfJobs(jobs)))
      if (amount > (most.get(resource)?.amount ?? 0)) most.set(resource, { amount, title });
  }
  return most;
}

function sumOfJobs(jobs: readonly JobWish[]): Record<string, number> {
  const sum: Record<string, number> = {};
  const add = (resource: string, amount: number) => (sum[resource] = (sum[resource] ?? 0) + amount);
  for (const { pods, requests, limits } of jobs) {
    add('count/jobs.batch', 1);
    add('pods', pods);
    for (const [resource, amount] of Object.entries(requests)) {
      add(`requests.${resource}`, pods * amount);
      if (resource === 'cpu' || resource === 'memory') add(resource, pods * amount);
    }
    for (const [resource, amount] of Object.entries(limits)) add(`limits.${resource}`, pods * amount);
  }
  return sum;
}
