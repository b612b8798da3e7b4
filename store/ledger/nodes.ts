/**
 * What failed on the nodes of a cluster lately, and which of them a person said are mended.
 *
 * Covers reading within a time and writing down who forgot. Does not cover which node is kept away from (decisions/node-memory.ts).
 */
import type { Kysely, NotNull } from 'kysely';
import type { FailureClass, Incident } from '../../decisions/failure.ts';
import type { ForgottenNode, NodeFailure } from '../../decisions/node-memory.ts';
import type { LedgerTables } from './schema.ts';

interface Lately {
  /** Nodes of two clusters may have one name. */
  readonly cluster: string;
  /** ISO 8601. */
  readonly since: string;
}

export interface NodeLedger {
  /** Of these classes, the newest first; at most so many. @default 2,000 */
  nodeFailures(
    of: Lately & { readonly classes: readonly FailureClass[]; readonly most?: number },
  ): Promise<readonly NodeFailure[]>;
  /** Failures up to now count no more against this node. */
  forgetNode(node: ForgottenNode & { readonly cluster: string }): Promise<void>;
  forgottenNodes(of: Lately): Promise<readonly ForgottenNode[]>;
}

export function nodeLedger(db: Kysely<LedgerTables>): NodeLedger {
  return {
    async nodeFailures({ cluster, since, classes, most = 2000 }) {
      const rows = await db
        .selectFrom('incidents')
        .select(['node', 'incident', 'workflow_id', 'phase', 'created_at'])
        .where('cluster', '=', cluster)
        .where('created_at', '>=', since)
        .where('class', 'in', classes)
        .where('node', 'is not', null)
        .$narrowType<{ node: NotNull }>()
        .orderBy('created_at', 'desc')
        .limit(most)
        .execute();
      return rows.map(({ node, incident, workflow_id: pipeline, phase, created_at: at }) => {
        const { class: name, rootCause, because, attempt } = JSON.parse(incident) as Incident;
        return { node, class: name, rootCause, because, pipeline, phase, attempt, at };
      });
    },
    async forgetNode({ cluster, node, by, at }) {
      await db
        .insertInto('forgotten_nodes')
        .values({ cluster, node, forgotten_by: by, created_at: at })
        .onConflict((conflict) => conflict.columns(['cluster', 'created_at', 'node']).doNothing())
        .execute();
    },
    async forgottenNodes({ cluster, since }) {
      const rows = await db
        .selectFrom('forgotten_nodes')
        .selectAll()
        .where('cluster', '=', cluster)
        .where('created_at', '>=', since)
        .orderBy('created_at')
        .execute();
      return rows.map(({ node, forgotten_by: by, created_at: at }) => ({ node, by, at }));
    },
  };
}
