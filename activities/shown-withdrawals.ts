/**
 * What a person took back of checkpoints, as the leaderboard and a comparison say it: so that a number that is gone is not looked for.
 *
 * Does not cover how it is withdrawn (withdraw.ts).
 */
import type { ShownWithdrawals } from '../decisions/withdrawal.ts';
import type { Ledger } from '../store/ledger/ledger.ts';

const mostShown = 10;
/** That are counted. */
const mostLookedAt = 1000;

/** `checkpoints`: null for all. Nothing where nothing was withdrawn. */
export async function shownWithdrawals(
  ledger: Ledger,
  {
    checkpoints,
    benchmark,
  }: { readonly checkpoints: readonly string[] | null; readonly benchmark: string | undefined },
): Promise<Partial<ShownWithdrawals>> {
  const of = checkpoints === null ? {} : { checkpoints };
  const found = await ledger.withdrawalsOf({ ...of, benchmark, limit: mostLookedAt });
  if (found.length === 0) return {};
  return { withdrawn: found.slice(0, mostShown), withdrawnOmitted: Math.max(0, found.length - mostShown) };
}
