/**
 * The one command of a job whose pods have roles: a script of the image's own shell that runs what the pod's index calls for.
 *
 * A trainer takes the place of the shell. What serves the trainers never ends by itself: when it does, with 0 too (an engine that its
 * watchdog kills as the first process of its container does), the pod fails, and with it the attempt; the shell hands SIGTERM on to it.
 * Each role finds itself in `PET_*` as a job of its own, and the pods of all roles in `TEMPER_HOSTS_<ROLE>`. Does not cover images
 * without a shell.
 */
import type { JobCommand, RoleCommand } from '../decisions/command-line.ts';
import type { EnvVar } from './kube-types.ts';
import type { PodRole } from './pod-roles.ts';

export interface RoleOrder {
  readonly command: JobCommand;
  readonly roles: readonly PodRole[];
  readonly jobName: string;
  /** The Service that gives pods their names. */
  readonly service: string;
}

/** Exit code of a role that ended before the trainers, and said that all is well. */
const endedTooEarly = 70;

const serve = `serve() {
  stopped=; child=
  trap 'stopped=yes; [ -z "$child" ] || kill -TERM "$child"' TERM
  "$@" &
  child=$!
  [ -z "$stopped" ] || kill -TERM "$child"
  wait "$child"; code=$?
  while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
  [ -z "$stopped" ] && [ "$code" = 0 ] || exit "$code"
  echo "error: role $TEMPER_ROLE ended by itself with exit code 0 before the trainers were done" >&2
  exit ${String(endedTooEarly)}
}`;

/** What runs as the container's command. */
export function roleCommand(order: RoleOrder): string[] {
  const { command, roles } = order;
  const cases = roles.map((role) => {
    const own = command.roles?.find(({ name }) => name === role.name);
    const run = own === undefined ? `exec ${quotedAll(command.argv)}` : `serve ${quotedAll(own.argv)}`;
    return [`${indexes(role).join('|')})`, ...exports(role, own, order), `  ${run}`, '  ;;'].join('\n');
  });
  const script = [serve, 'case "$JOB_COMPLETION_INDEX" in', ...cases, 'esac'].join('\n');
  return ['/bin/sh', '-c', script];
}

/** Names of the pods of each role, with spaces between them. */
export function hostsOfRoles({ roles, ...of }: Omit<RoleOrder, 'command'>): EnvVar[] {
  return roles.map((role) => ({
    name: `TEMPER_HOSTS_${role.name.toUpperCase().replaceAll('-', '_')}`,
    value: indexes(role)
      .map((index) => hostOf(index, of))
      .join(' '),
  }));
}

function exports(role: PodRole, own: RoleCommand | undefined, order: Pick<RoleOrder, 'jobName' | 'service'>): string[] {
  const { name, first, count } = role;
  return [
    `  index=$((JOB_COMPLETION_INDEX - ${String(first)}))`,
    `  export TEMPER_ROLE=${name} TEMPER_ROLE_INDEX="$index"`,
    `  export PET_NNODES=${String(count)} PET_NODE_RANK="$index" PET_MASTER_ADDR=${hostOf(first, order)}`,
    ...Object.entries(own?.env ?? {}).map(([variable, text]) => `  export ${variable}=${quoted(text)}`),
  ];
}

function hostOf(index: number, { jobName, service }: Pick<RoleOrder, 'jobName' | 'service'>): string {
  return `${jobName}-${String(index)}.${service}`;
}

const indexes = ({ first, count }: PodRole): number[] => Array.from({ length: count }, (_, at) => first + at);

const quotedAll = (texts: readonly string[]): string => texts.map(quoted).join(' ');

/** As one word of a shell, whatever stands in it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
