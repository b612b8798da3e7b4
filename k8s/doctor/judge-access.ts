/** Whether the cluster can be worked with: its version, the namespace, what a worker may do there. Pure. */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { fine, type HealthCheck, missing, notChecked, warning } from '../../decisions/health-check.ts';
import { resourceText, workerRoleName } from '../rights.ts';
import { kubectl, kubectlIn } from './commands.ts';
import type { ClusterFacts } from './facts.ts';
import type { JobWish } from './wish.ts';

/** Indexed Jobs with podReplacementPolicy and podFailurePolicy, and terminal conditions that wait for the pods. */
const oldestMinor = 31;

export function judgeVersion({ version: { major, minor, gitVersion } }: Pick<ClusterFacts, 'version'>): HealthCheck {
  const isNew = Number(major) > 1 || Number.parseInt(minor, 10) >= oldestMinor;
  if (isNew) return fine('version', `Kubernetes ${gitVersion}`);
  return missing('version', `Kubernetes ${gitVersion}, and 1.${String(oldestMinor)} or newer is needed`, {
    change: 'upgrade the cluster, or name another one by `context` in the profile',
  });
}

export function judgeNamespace(
  { namespace: reading }: Pick<ClusterFacts, 'namespace'>,
  profile: KubernetesProfile,
): HealthCheck {
  const { namespace } = profile;
  switch (reading.state) {
    case 'found':
      return fine('namespace', `${namespace}${levelText(reading.value.metadata.labels)}`);
    case 'absent':
      return missing('namespace', `there is no namespace ${namespace}`, {
        command: kubectl(profile, 'create', 'namespace', namespace),
      });
    case 'unreadable':
      return notChecked('namespace', reading.why);
  }
}

const levelLabel = 'pod-security.kubernetes.io/enforce';

function levelText(labels: Readonly<Record<string, string>> = {}): string {
  const level = labels[levelLabel];
  return level === undefined ? '' : `, with Pod Security ${level}`;
}

/** One for each kind of object; what is missing of any is mended by the same Role. The Service that may be there already is judged below. */
export function judgeRights({ rights, user }: Pick<ClusterFacts, 'rights' | 'user'>, profile: KubernetesProfile) {
  const lacking = rights.filter(({ refused: verbs }) => verbs.length > 0);
  const refused = lacking.filter(({ right }) => right.unlessMade !== true);
  if (refused.length === 0) {
    const all = rights
      .filter((one) => !lacking.includes(one))
      .map(({ right }) => `${resourceText(right)} (${right.verbs.join(', ')})`);
    return [fine('rights', `${user ?? 'you'}: ${all.join('; ')}`)];
  }
  return refused.map(({ right, refused: verbs }) => {
    const judged = right.isOptional === true ? warning : missing;
    const what = `${user ?? 'you'} may not ${verbs.join(', ')} ${resourceText(right)}: ${right.why}`;
    return judged('rights', what, { command: roleCommands(profile, user) });
  });
}

function roleCommands(profile: KubernetesProfile, user: string | null): string {
  const binding = kubectlIn(
    profile,
    ...['create', 'rolebinding', workerRoleName, `--role=${workerRoleName}`, subjectOf(user)],
  );
  const context = profile.context === undefined ? '' : ` --context ${profile.context}`;
  return `temper render --setup --profile ${profile.name} | kubectl${context} apply -f - &&\n  ${binding}`;
}

function subjectOf(user: string | null): string {
  const account = /^system:serviceaccount:([^:]+:[^:]+)$/.exec(user ?? '')?.[1];
  return account === undefined ? `--user=${user ?? 'NAME'}` : `--serviceaccount=${account}`;
}

/** The Service by which the pods of one Job find each other: Temper makes it where it may. */
export function judgeService(
  { service, rights }: Pick<ClusterFacts, 'service' | 'rights'>,
  profile: KubernetesProfile,
  wishes: readonly JobWish[],
): HealthCheck {
  const name = profile.rendezvousService;
  if (service.state === 'found') return fine('service', `${name}, by which pods of a Job find each other`);
  const mayCreate = rights.every(({ right, refused }) => right.resource !== 'services' || refused.length === 0);
  if (mayCreate) return fine('service', `${name} is made with the first job`);
  const several = wishes.find(({ pods }) => pods > 1);
  const state = service.state === 'absent' ? `there is no service ${name}` : `${name}: ${service.why}`;
  const what = `${state}, and you may not create it`;
  const mend = { command: `temper render --setup --profile ${profile.name} | ${kubectl(profile, 'apply', '-f', '-')}` };
  if (several === undefined) return warning('service', `${what}; jobs of one pod need none`, mend);
  if (service.state === 'unreadable') return notChecked('service', `${what} (${several.title} has several pods)`);
  return missing('service', `${what}: the pods of ${several.title} find each other by it`, mend);
}
