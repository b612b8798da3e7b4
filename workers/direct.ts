/** Answers a question from the ledger and the store of this machine, with no server and no worker. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { answerActivities } from '../activities/answers.ts';
import { fitting, loadProfile, loadRecipe } from '../configs/load.ts';
import { TemperError } from '../decisions/errors.ts';
import { openSqliteLedger } from '../store/ledger/sqlite.ts';
import { createRunStore } from '../store/run-store.ts';
import type { Answer, Question } from '../workflows/contract-questions.ts';
import { readPlaces } from './settings.ts';
import { ledgerDirectoryOf, storeDirectoryOf } from './store-directory.ts';

const profileName = 'local';

/** Throws what a worker would throw, and `not-found` when there is no ledger here. */
export async function answerDirectly(question: Question, environment: NodeJS.ProcessEnv): Promise<Answer> {
  const places = readPlaces(environment);
  const asked = question.question === 'plan' ? question.input.profile : undefined;
  const { value: profile } = await loadProfile(places.profilesDirectory, asked ?? profileName);
  const directory = storeDirectoryOf(profile, places);
  const ledgerDirectory = ledgerDirectoryOf(profile, places);
  const file = join(ledgerDirectory, 'ledger.sqlite');
  if (!existsSync(file))
    throw new TemperError(
      'not-found',
      `no ledger lies in ${ledgerDirectory}: name the store with TEMPER_STORE, or ask a worker`,
    );
  const ledger = await openSqliteLedger(file);
  try {
    const answers = answerActivities({
      ledger,
      defaultRecipe: null,
      readRecipe: async (recipe, set) => fitting(await loadRecipe(places.recipesDirectory, recipe, set), profile),
      placeOf: () => ({ profile, store: createRunStore(directory), home: resolve(places.home) }),
    });
    return await answers.answerQuestion(question);
  } finally {
    await ledger.close();
  }
}
