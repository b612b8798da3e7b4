/**
 * Nodes of a place that jobs are to keep away from now, from the ledger; and what `temper nodes` asks for.
 *
 * Does not cover the rule (decisions/node-memory.ts).
 */
import { nearestName } from '../configs/nearest-name.ts';
import { TemperError } from '../decisions/errors.ts';
import { classesOfNodes, memoryDays, type SuspectNode, suspectNodes } from '../decisions/node-memory.ts';
import type { ForgottenNode } from '../decisions/node-memory.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { Nodes, NodesQuestion } from '../workflows/contract-questions.ts';
import type { Backend } from './backend.ts';
import type { ReadingDependencies } from './dependencies.ts';

interface Memory {
  readonly ledger: Ledger;
  readonly now: () => Date;
}

/** The one that failed last first; none where a job cannot be kept away from a node. */
export async function suspectsOf(
  memory: Memory,
  { cluster }: Pick<Backend, 'cluster'>,
): Promise<readonly SuspectNode[]> {
  return cluster === undefined ? [] : (await remembered(memory, cluster)).suspects;
}

async function remembered(
  { ledger, now }: Memory,
  cluster: string,
): Promise<{ readonly suspects: readonly SuspectNode[]; readonly forgotten: readonly ForgottenNode[] }> {
  const lately = { cluster, since: new Date(now().getTime() - memoryDays * 24 * 3_600_000).toISOString() };
  const failures = await ledger.nodeFailures({ ...lately, classes: classesOfNodes });
  const forgotten = await ledger.forgottenNodes(lately);
  return { suspects: suspectNodes(failures, forgotten, now()), forgotten };
}

/** Throws `environment-unusable` where nobody knows which nodes are meant, and `not-found` for a node that nobody keeps away from. */
export async function answerNodes(dependencies: ReadingDependencies, { forget }: NodesQuestion): Promise<Nodes> {
  const { backend } = dependencies.placeOf(undefined);
  if (backend === undefined)
    throw new TemperError('environment-unusable', 'which nodes are meant only a worker can say: ask without --direct');
  const { cluster = null } = backend;
  if (cluster === null) {
    if (forget === undefined) return { answer: 'nodes', cluster, suspects: [], forgotten: [] };
    throw new TemperError('not-found', 'this worker runs its jobs on one machine: there is no node to forget');
  }
  if (forget !== undefined) await forgetOne(dependencies, cluster, forget);
  return { answer: 'nodes', cluster, ...(await remembered(dependencies, cluster)) };
}

async function forgetOne(
  memory: Memory,
  cluster: string,
  { node, by }: NonNullable<NodesQuestion['forget']>,
): Promise<void> {
  const known = (await remembered(memory, cluster)).suspects.map((suspect) => suspect.node);
  if (!known.includes(node)) {
    const near = nearestName(node, known);
    const there = known.length === 0 ? 'none' : known.slice(0, 20).join(', ');
    const mean = near === null ? '' : `; did you mean "${near}"?`;
    throw new TemperError(
      'not-found',
      `no job keeps away from a node "${node}"${mean === '' ? ';' : mean} there are: ${there}`,
    );
  }
  await memory.ledger.forgetNode({ cluster, node, by, at: memory.now().toISOString() });
}
