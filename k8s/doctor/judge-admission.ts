/** Whether the API server takes the Jobs and their pods as they would be submitted: what it says in a dry run. Pure. */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { fine, type HealthCheck, type Mend, missing, notChecked } from '../../decisions/health-check.ts';
import { kubectl } from './commands.ts';
import type { ClusterFacts } from './facts.ts';
import { resourceText } from '../rights.ts';

/** Each different refusal once, with the first job that meets it. */
export function judgeAdmission(
  { admission, rights }: Pick<ClusterFacts, 'admission' | 'rights'>,
  profile: KubernetesProfile,
): HealthCheck[] {
  if (admission.length === 0) return [];
  const mayCreate = rights.every(({ right, refused }) => resourceText(right) !== 'jobs' || !refused.includes('create'));
  return [...(mayCreate ? judgeJobs(admission) : []), ...judgePods(admission, profile)];
}

function judgeJobs(admission: ClusterFacts['admission']): HealthCheck[] {
  const refusals = distinct(
    admission.flatMap(({ title, job }) => (job === null || isOfQuota(job) ? [] : [{ title, refusal: job }])),
  );
  if (refusals.length === 0) return [fine('jobs', `the API server takes the Jobs: ${listOf(admission)}`)];
  return refusals.map(({ title, refusal }) =>
    missing('jobs', `the Job of ${title} is refused: ${refusal}`, { change: 'change what it names in the profile' }),
  );
}

function judgePods(admission: ClusterFacts['admission'], profile: KubernetesProfile): HealthCheck[] {
  const unreadable = admission.find(({ pod }) => pod.state === 'unreadable')?.pod;
  if (unreadable?.state === 'unreadable')
    return [notChecked('pods', `whether Pod Security and others let the pods in: ${unreadable.why}`)];
  const refusals = distinct(
    admission.flatMap(({ title, pod }) =>
      pod.state !== 'found' || pod.value === null || isOfQuota(pod.value) ? [] : [{ title, refusal: pod.value }],
    ),
  );
  if (refusals.length === 0) return [fine('pods', 'Pod Security, limits and webhooks let the pods in')];
  return refusals.map(({ title, refusal }) =>
    missing('pods', `a pod of ${title} is refused: ${withoutName(refusal)}`, mendOf(refusal, profile)),
  );
}

function mendOf(refusal: string, profile: KubernetesProfile): Mend {
  if (!refusal.includes('violates PodSecurity')) return { change: 'change what it names in the profile' };
  return {
    change: 'take out of `podTemplate` what it forbids, or let the namespace have such pods:',
    command: kubectl(
      profile,
      ...['label', '--overwrite', 'namespace', profile.namespace, 'pod-security.kubernetes.io/enforce=privileged'],
    ),
  };
}

/** Told as quota, with its numbers. */
const isOfQuota = (refusal: string): boolean => /exceeded quota/.test(refusal);

/** The dry run's own name says nothing to a person. */
const withoutName = (refusal: string): string => refusal.replace(/^pods "[^"]*" is forbidden: /, '');

interface Refusal {
  readonly title: string;
  readonly refusal: string;
}

function distinct(refusals: readonly Refusal[]): Refusal[] {
  return [...new Map(refusals.toReversed().map((each) => [each.refusal, each])).values()].toReversed();
}

function listOf(admission: ClusterFacts['admission']): string {
  const titles = admission.map(({ title }) => title);
  return titles.length <= 3
    ? titles.join(', ')
    : `${titles.slice(0, 2).join(', ')} and ${String(titles.length - 2)} more`;
}
