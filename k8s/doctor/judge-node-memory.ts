/** Nodes that jobs keep away from, each with the command that cordons it: suggested, never done. Pure. */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { fine, type HealthCheck, notChecked, warning } from '../../decisions/health-check.ts';
import { type SuspectNode, whySuspect } from '../../decisions/node-memory.ts';
import { minuteOf } from '../../decisions/utc-minute.ts';
import { kubectl } from './commands.ts';

/** What a worker remembers of the cluster that it runs jobs on; or why none could be asked. */
export type NodeMemory =
  | { readonly kind: 'known'; readonly cluster: string | null; readonly suspects: readonly SuspectNode[] }
  | { readonly kind: 'unknown'; readonly why: string };

/** The others are counted: `temper nodes` has all. */
const mostNamed = 8;

export function judgeNodeMemory(
  memory: NodeMemory,
  cluster: string,
  profile: Pick<KubernetesProfile, 'context'>,
): HealthCheck[] {
  if (memory.kind === 'unknown') return [notChecked(name, `which nodes failed lately a worker knows: ${memory.why}`)];
  if (memory.cluster !== cluster)
    return [
      notChecked(
        name,
        `the worker that answers ${memory.cluster === null ? 'runs jobs on its own machine' : 'works for another cluster'}: start one for this profile, or name the task queue of the one that there is (TEMPER_TASK_QUEUE)`,
      ),
    ];
  const { suspects } = memory;
  if (suspects.length === 0) return [fine(name, 'no node failed lately')];
  const more = suspects.length - mostNamed;
  return [
    ...suspects.slice(0, mostNamed).map((suspect) => warningOf(suspect, profile)),
    ...(more > 0 ? [warning(name, `${String(more)} more nodes failed lately: \`temper nodes\` lists them`)] : []),
  ];
}

const name = 'node memory';

function warningOf(suspect: SuspectNode, profile: Pick<KubernetesProfile, 'context'>): HealthCheck {
  const { node, until, attempt } = suspect;
  return warning(
    name,
    `${node}: ${whySuspect(suspect)}, under ${attempt}; jobs keep away from it where they can until ${minuteOf(until)} UTC`,
    {
      change: `take it out of service until it is mended, then \`temper nodes forget ${node}\``,
      command: kubectl(profile, 'cordon', node),
    },
  );
}
