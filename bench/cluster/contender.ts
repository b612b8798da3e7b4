/** Whoever runs chains of steps, as the comparison sees it. */
import type { ChainPods } from './chain-pods.ts';

export interface Contender {
  readonly name: string;
  /** Of the cluster, that do its work. */
  readonly daemons: readonly string[];
  /** In the audit log. */
  readonly users: readonly string[];
  readonly pods: ChainPods;
  /** Runs chains of these names at once; resolves when all have ended well. */
  run(names: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
