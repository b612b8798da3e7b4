/** What an attempt does otherwise, in words. Does not cover why (sentences.ts). */
import type { AttemptChange } from './attempt-changes.ts';
import type { BatchShape } from './memory-ladder.ts';

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
        return [`Keeps away from ${change.nodes.join(', ')} where it can.`];
      case 'roll-back':
        return [];
    }
  });
}

/** How a batch is cut: `8 × 2`. */
export function shapeText({ microBatch, accumulation }: BatchShape): string {
  return `${microBatch} × ${accumulation}`;
}
