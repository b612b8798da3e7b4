/**
 * Leaderboard rows one after the other: the votes and draws of many candidates take seconds, and jobs are watched meanwhile.
 *
 * Does not cover what a row says (decisions/leaderboard.ts).
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import { leaderboardRow, type LeaderboardRow, type RowInput } from '../decisions/leaderboard.ts';

export async function rowsInTurn(inputs: readonly RowInput[]): Promise<readonly LeaderboardRow[]> {
  const rows: LeaderboardRow[] = [];
  for (const one of inputs) {
    const row = leaderboardRow(one);
    if (row !== null) rows.push(row);
    await othersTurn();
  }
  return rows;
}
