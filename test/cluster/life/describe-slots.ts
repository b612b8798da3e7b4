/** What `status` prints: each cluster of this machine, whose it is, what runs of it, and its KUBECONFIG line. */
import type { Found } from './slots.ts';
import type { ClusterState, ProcessMark } from './state.ts';

export function describeSlots(slots: readonly Found[], isAlive: (process: ProcessMark) => boolean): readonly string[] {
  const lines = slots.flatMap(({ places, standing }) => {
    if (standing.kind === 'free') return [];
    const { state } = standing;
    return [
      `cluster ${String(places.slot)}: ${state.phase}, of ${state.repository}, ${whose(standing)}`,
      ...Object.entries(state.daemons).map(
        ([name, { process: mark }]) => `  ${name.padEnd(24)} ${running(mark, isAlive)}`,
      ),
      `  export KUBECONFIG=${places.kubeconfig}`,
      `  kubectl: ${state.kubectl}`,
    ];
  });
  return lines.length === 0 ? ['No cluster is up on this machine.'] : lines;
}

function whose(standing: Exclude<Found['standing'], { kind: 'free' }>): string {
  switch (standing.kind) {
    case 'by-hand':
      return 'until `npm run cluster -- down` there';
    case 'owned':
      return `until process ${String(standing.owner.pid)} ends`;
    case 'leftover':
      return `left over (${standing.because}): \`npm run cluster -- down\` clears it away`;
  }
}

function running(mark: ClusterState['init'], isAlive: (process: ProcessMark) => boolean): string {
  if (mark === null) return 'stopped';
  return isAlive(mark) ? `process ${String(mark.pid)}` : `process ${String(mark.pid)} is gone`;
}
