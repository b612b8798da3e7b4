/** Answers a question from the ledger and the store of this machine, with no server and no worker. */
import { resolve } from 'node:path';
import { answerActivities } from '../activities/answers.ts';
import type { RunState } from '../decisions/run-state.ts';
import type { RunOfId } from './run-state.ts';
import { fitting, loadProfile, loadRecipe } from '../configs/load.ts';
import { createRunStore } from '../store/run-store.ts';
import type { Answer, Question } from '../workflows/contract-questions.ts';
import { openLedgerOf } from './ledger-of.ts';
import { readPlaces } from './settings.ts';
import { storeDirectoryOf } from './store-directory.ts';

const profileName = 'local';

/** Null unless a server that is there says that it has closed. Another one may go on with what this one does not know. */
async function closedOnServer(run: RunOfId): Promise<RunState | null> {
  const [{ connect }, { runState }] = await Promise.all([import('./cli/connect.ts'), import('./run-state.ts')]);
  const connected = await connect().catch(() => null);
  try {
    const state = connected === null ? null : await runState(connected.client, run);
    return state?.kind === 'closed' ? state : null;
  } catch {
    return null;
  } finally {
    await connected?.close();
  }
}

/** Throws what a worker would throw, and `not-found` when there is no ledger here. */
export async function answerDirectly(question: Question, environment: NodeJS.ProcessEnv): Promise<Answer> {
  const places = readPlaces(environment);
  const asked = question.question === 'plan' ? question.input.profile : undefined;
  const { value: profile } = await loadProfile(places.profilesDirectory, asked ?? profileName);
  const directory = storeDirectoryOf(profile, places);
  const ledger = await openLedgerOf({ profile, places, environment, create: false });
  try {
    const answers = answerActivities({
      ledger,
      defaultRecipe: null,
      now: () => new Date(),
      readRecipe: async (recipe, set) => fitting(await loadRecipe(places.recipesDirectory, recipe, set), profile),
      // Whoever follows a log waits for its end, and one that was terminated wrote none.
      ...(question.question === 'logs' && question.seen !== undefined && { runState: closedOnServer }),
      placeOf: () => ({ profile, store: createRunStore(directory), home: resolve(places.home) }),
    });
    return await answers.answerQuestion(question);
  } finally {
    await ledger.close();
  }
}
