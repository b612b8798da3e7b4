/** How a phase's global batch is cut when nothing has changed it yet: in one piece. Does not cover cutting it smaller (memory-ladder.ts). */
import type { Phase } from '../configs/schema.ts';
import type { BatchShape } from './memory-ladder.ts';

/** Rows of one optimizer step in one piece; null where the trainer has no batch that it can cut. */
export function batchOfPhase(phase: Phase): BatchShape | null {
  switch (phase.kind) {
    case 'sft':
    case 'orpo':
    case 'sao':
      return { microBatch: phase.params.batchSize, accumulation: 1 };
    case 'drgrpo':
      return { microBatch: phase.params.promptsPerStep * phase.params.generations, accumulation: 1 };
    case 'base':
    case 'mxfp4-merge':
    case 'command':
      return null;
  }
}
