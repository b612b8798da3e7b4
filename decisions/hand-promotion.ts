/**
 * A promotion by a person, who had the last word in place of the gate: what the leaderboard says of it.
 *
 * Does not cover what may be promoted (steering.ts) or that it was asked (steering-sentences.ts).
 */
import type { LeaderboardRow } from './leaderboard.ts';
import { type SteeredBy, sentenceOfSteering } from './steering-sentences.ts';

/** Of a phase that ended by it. */
export interface HandPromotion {
  readonly checkpoint: string;
  readonly by: SteeredBy;
}

/** For example `Promoted by ann: the node is needed`; without a full stop. */
export function promotedBy({ by: { by = 'a person', reason } }: HandPromotion): string {
  return `Promoted by ${by}${reason === undefined ? '' : `: ${reason}`}`;
}

/** Why its phase ended, as the phase itself says. */
export function sentenceOfHandPromotion({ checkpoint, by }: HandPromotion): string {
  return sentenceOfSteering({ message: 'promote', checkpoint }, by);
}

/** A row of its phase: what the gate had left open or chosen is not chosen, and what missed a limit still did. */
export function afterHandPromotion<Row extends LeaderboardRow>(row: Row, promotion: HandPromotion): Row {
  if (row.checkpoint === promotion.checkpoint) return { ...row, verdict: 'promote', why: `${promotedBy(promotion)}.` };
  if (row.verdict === 'reject') return row;
  return { ...row, verdict: 'passed-over', why: `${sentenceOfHandPromotion(promotion)}.` };
}
