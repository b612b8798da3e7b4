/** What a collapse that was found means for the checkpoints of its phase, and what a release of its hold is. Does not cover finding one (collapse.ts). */
import type { Phase } from '../configs/schema.ts';
import type { EndOfHold, HeldFor } from './hold.ts';

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

/** How the end of a hold lies in the ledger. */
export interface HoldOverRecord {
  /** By a person's word, or what followed since nobody came. */
  readonly answer: 'go on' | EndOfHold;
  /** Absent from older runs. */
  readonly evidence: { readonly heldFor?: HeldFor };
}

/** Whether a person let a phase go on that was held since it had collapsed. */
export function wavesThrough({ answer, evidence }: HoldOverRecord): boolean {
  return answer === 'go on' && evidence.heldFor === 'collapse';
}
