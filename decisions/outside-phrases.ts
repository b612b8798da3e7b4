/** What others did to a job, in the field's words: it was preempted, evicted, stopped, lost with its node, or never given a place. */
import { nodeUnreachable, podDeleted, podVanished } from './backend-reasons.ts';
import { type ClassPhrase, type Failed, reasonIn, reasonOf, said, signalIn } from './phrase.ts';

export type FromOutside = 'preempted' | 'evicted' | 'node-lost' | 'interrupted' | 'deadline' | 'queue-evicted';

export function fromOutside(name: FromOutside, failed: Failed): ClassPhrase {
  const { because } = failed;
  const isStop = because.rule === 'stopped-by-temper';
  const reason = reasonOf(because) ?? '';
  switch (name) {
    case 'preempted':
      return isStop
        ? { what: 'preempted', more: ': its queue gave its place to another job' }
        : { what: 'preempted by a pod of higher priority' };
    case 'queue-evicted':
      return { what: `its queue took its place away${reasonIn(failed)}` };
    case 'deadline':
      return { what: `it ran into its deadline${reasonIn(failed)}` };
    case 'evicted':
      return { ...(evictions[reason] ?? { what: `evicted${reasonIn(failed)}` }), ...saysOf(failed) };
    case 'node-lost':
      return isStop
        ? { what: 'the node did not answer any more' }
        : (lostNodes[reason] ?? { what: `the node was lost${reasonIn(failed)}` });
    case 'interrupted':
      return interruption(failed);
  }
}

/** Of a kubelet, which resource its node ran out of; of the API nothing that its word does not say. */
function saysOf({ because }: Failed): Pick<ClassPhrase, 'quote'> {
  if (because.rule !== 'backend-reason' || because.reason !== 'Evicted' || because.says === undefined) return {};
  return { quote: because.says.trim() };
}

const evictions: Readonly<Record<string, ClassPhrase>> = {
  EvictionByEvictionAPI: { what: 'evicted through the API', more: ', as a drain of its node does' },
  TerminationByKubelet: { what: 'ended by the kubelet of its node' },
  Evicted: { what: 'evicted by the kubelet of its node' },
};

const lostNodes: Readonly<Record<string, ClassPhrase>> = {
  [nodeUnreachable]: { what: 'the node did not answer any more' },
  NodeLost: { what: 'the node did not answer any more' },
  DeletionByTaintManager: { what: 'its pod was deleted', more: ', the node was not ready for too long' },
  DeletionByPodGC: { what: 'the node is gone from the cluster' },
  NodeShutdown: { what: 'the node was shut down' },
  Terminated: { what: 'the node was shut down' },
  ContainerStatusUnknown: { what: 'the node lost its containers', more: ', as by a restart' },
  [podVanished]: { what: 'its pod is gone with its node', more: ', and nobody saw it end' },
  'machine-restarted': { what: 'the machine was restarted' },
};

function interruption({ because, who }: Failed): ClassPhrase {
  const signal = signalIn(because);
  if (signal !== null) return { what: `${who} was told to stop (${signal})` };
  switch (because.rule) {
    case 'stopped-by-temper':
      if (because.why === 'hold') return { what: 'stopped by a hold' };
      return { what: `stopped by Temper (${because.why})` };
    case 'exit-code':
      return { what: `${who} was told to stop, and did in order (exit code ${String(because.exitCode)})` };
    case 'backend-reason':
      if (because.reason === podDeleted) return { what: 'its pod was deleted', more: ', and not by Temper' };
      return said('it was told to stop', because);
    default:
      return said('it was told to stop', because);
  }
}

/** A job whose pods waited for longer than anybody would. */
export const neverStarted = {
  unschedulable: 'it never started, no node had room for it',
  quota: 'it never started, the quota was used up',
  'image-pull': 'it never started, its image could not be pulled',
  mount: 'it never started, a volume could not be mounted',
  sandbox: 'it never started, the node could not make its sandbox',
  'half-scheduled': 'it never started, only some of its pods found a node',
} as const;
