/** What a person does about a job that a cluster refuses: said with the refusal, since it is the first that is heard of it. Does not cover quotas, which are waited for. */
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import { TemperError } from '../decisions/errors.ts';
import { kubectl } from './doctor/commands.ts';
import { KubeError } from './kube-error.ts';

/** The same refusal with the command that mends it, or finds what does; any other error as it is. */
export function withMend(error: unknown, profile: Pick<KubernetesProfile, 'name' | 'namespace' | 'context'>): unknown {
  if (!(error instanceof TemperError) || error.code !== 'job-refused' || !(error.cause instanceof KubeError))
    return error;
  const hasNoNamespace = error.cause.status === 404 && error.cause.message.includes('namespaces "');
  const mend = hasNoNamespace
    ? `make it with \`${kubectl(profile, 'create', 'namespace', profile.namespace)}\`; \`temper doctor --profile ${profile.name}\` says what else is missing`
    : `\`temper doctor --profile ${profile.name}\` says what is missing, with the command that adds it`;
  return new TemperError('job-refused', `${error.message}: ${mend}`, { cause: error.cause });
}
