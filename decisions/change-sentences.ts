/** What an attempt does otherwise, in words. Does not cover why (sentences.ts). */
import type { AttemptChange } from './attempt-changes.ts';
import type { BatchShape } from './memory-ladder.ts';

const mostNamed = 5;

/** One sentence for each change; roll-backs say themselves which checkpoints are passed over (sentences.ts). */
export function sentencesOfChanges(changes: readonly AttemptChange[]): readonly string[] {
  return changes.flatMap((change) => {
    switch (change.kind) {
      case 'micro-batch':
        return [`Micro-batch × accumulation is ${shapeText(change.to)} instead of ${shapeText(change.from)}.`];
      case 'memory':
        return [`Asks for ${change.factor.toFixed(2)} times the memory.`];
      case 'shared-memory':
        return [`Asks for ${change.factor.toFixed(2)} times the shared memory.`];
      case 'avoid-nodes':
        return [awayText(change)];
      case 'roll-back':
        return [];
    }
  });
}

/** Named with why, as far as the phase's own failures do not say it; of many nodes the first few. */
function awayText({ nodes, because = {} }: Extract<AttemptChange, { kind: 'avoid-nodes' }>): string {
  const named = nodes.slice(0, mostNamed).map((node) => {
    const why = because[node];
    return why === undefined ? node : `${node} (${why})`;
  });
  const more = nodes.length > named.length ? ` and ${String(nodes.length - named.length)} more` : '';
  return `Keeps away from ${named.join(', ')}${more} where it can.`;
}

/** How a batch is cut: `8 × 2`. */
export function shapeText({ microBatch, accumulation }: BatchShape): string {
  return `${microBatch} × ${accumulation}`;
}
