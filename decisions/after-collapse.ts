/** What a collapse that was found means for the checkpoints of its phase. Does not cover finding one (collapse.ts). */
import type { Phase } from '../configs/schema.ts';

/** The best checkpoint of a run before it collapsed. */
export interface LastGood {
  readonly attempt: number;
  readonly step: number;
}

/** How a collapse lies in the ledger: its answer. */
export interface CollapseDecision {
  readonly onCollapse: Phase['onCollapse'];
  readonly goBackTo: LastGood;
}
