/** Whose is a slot? Decides from what is written down and who still lives; touches nothing. */
import type { ClusterState, ProcessMark } from './state.ts';

/**
 * - `free`: nothing is written down
 * - `leftover`: its owner is gone, or it broke: whoever comes next takes it down
 * - `by-hand`: it is up until somebody takes it down
 * - `owned`: a living process will take it down
 */
export type Standing =
  | { readonly kind: 'free' }
  | { readonly kind: 'leftover'; readonly state: ClusterState; readonly because: string }
  | { readonly kind: 'by-hand'; readonly state: ClusterState }
  | { readonly kind: 'owned'; readonly state: ClusterState; readonly owner: ProcessMark };

export interface World {
  readonly isAlive: (process: ProcessMark) => boolean;
  /** Whether there is a folder of this path. */
  readonly exists: (path: string) => boolean;
}

export function standingOf(state: ClusterState | undefined, world: World): Standing {
  const { isAlive, exists } = world;
  if (state === undefined) return { kind: 'free' };
  if (state.owner !== null) {
    if (isAlive(state.owner)) return { kind: 'owned', state, owner: state.owner };
    return { kind: 'leftover', state, because: `process ${String(state.owner.pid)}, whose it was, is gone` };
  }
  if (state.init === null || !isAlive(state.init))
    return { kind: 'leftover', state, because: 'its first process is gone' };
  if (!exists(state.repository))
    return { kind: 'leftover', state, because: `its checkout ${state.repository} is gone` };
  return { kind: 'by-hand', state };
}
