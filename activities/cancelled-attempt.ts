/** Closes an attempt whose end nobody waits for. */
import { TemperError } from '../decisions/errors.ts';
import type { AttemptKey } from '../store/ledger/attempts.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** One that ended meanwhile stays as it ended. */
export async function cancelAttempt(
  { ledger, now }: Pick<ActivityDependencies, 'ledger' | 'now'>,
  key: AttemptKey,
): Promise<void> {
  await ledger.changeAttempt(key, { state: 'cancelled', at: now().toISOString() }).catch((error: unknown) => {
    if (!(error instanceof TemperError) || error.code !== 'ledger-conflict') throw error;
  });
}
