/**
 * Whether a checkpoint of the Hugging Face Trainer goes on the one that was to be resumed: the Trainer carries every row that it logged
 * in `trainer_state.json`, so that the rows of the old one stand at the beginning of the new one.
 *
 * Null where there is nothing to compare. Does not cover other trainers.
 */
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { asObject, readJsonFile } from '../formats/json-file.ts';

export async function continuesHistory(resumed: string, newest: string): Promise<boolean | null> {
  const [before, after] = await Promise.all([historyOf(resumed), historyOf(newest)]);
  if (before === null || after === null || before.length === 0) return null;
  return isDeepStrictEqual(after.slice(0, before.length), before);
}

async function historyOf(folder: string): Promise<readonly unknown[] | null> {
  const reading = await readJsonFile(join(folder, 'trainer_state.json'));
  const history = 'value' in reading ? asObject(reading.value)?.['log_history'] : undefined;
  return Array.isArray(history) ? history : null;
}
