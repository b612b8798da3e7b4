/** A gate that waits for scores from outside, which a person brings, takes back and brings again, with `temper` alone. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killProcessesOf } from '../../scripts/processes-of-store.ts';
import { type Running, type Said, startTemper, temper } from '../support/command-line.ts';
import { type Embedded, startEmbedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { careless, recipeText, shortRecipe } from '../support/short-recipe.ts';

const lmEval = join(import.meta.dirname, '../workers/eval-files/lm-eval/results_2026-11-30T14-22-22.425848.json');
const [earlier, later] = ['told/base/a1/checkpoint-20', 'told/base/a1/checkpoint-40'];

let embedded: Embedded;
let worker: Running | undefined;
let environment: Record<string, string> = {};
let store = '';

beforeAll(async () => {
  embedded = await startEmbedded();
  store = join(embedded.folder, 'outside');
  await mkdir(store);
  environment = { TEMPORAL_ADDRESS: embedded.address, TEMPER_TASK_QUEUE: 'outside', TEMPER_STORE: store };
  const recipe = await shortRecipe(['base'], { ...careless, 'phases.base.gate': [{ rank: { by: 'public' } }] });
  const benchmarks = { public: { outside: true, problems: 50 } };
  await writeFile(join(embedded.folder, 'told.yaml'), recipeText({ ...recipe, benchmarks }));
  worker = startTemper(['worker', '--recipe', 'tiny'], { environment });
  await worker.said('A worker polls the task queue "outside"');
});
afterAll(async () => {
  await worker?.stop();
  await killProcessesOf(store);
  await embedded.close();
});

const say = (...words: string[]): Promise<Said> => temper(words, { environment, folder: embedded.folder });
const done = async (...words: string[]): Promise<string> => {
  const { exitCode, output, errors } = await say(...words);
  expect([exitCode, errors]).toEqual([0, '']);
  return output;
};
const record = (checkpoint: string, score: string) => done('record-score', checkpoint, 'public', score, '--by', 'ann');

async function untilHeld(): Promise<void> {
  await eventually('it is held', 600, async () => (await say('status', 'told')).output.includes('held'));
}

test('a score for the wrong checkpoint is withdrawn before the gate decides: the right ones decide', async () => {
  await done('start', '-f', 'told.yaml', '--id', 'told');
  await untilHeld();
  const [, wrong = ''] = /Recorded as ([0-9a-f]{12})/.exec(await record(earlier, '45/50')) ?? [];
  expect(await done('leaderboard', 'told')).toMatch(/\nbase +20 +public@1 +50 +0\.900 /);

  expect(await done('withdraw', wrong, '--by', 'bob', '--note', 'of another model')).toMatch(
    /^Withdrawn [0-9a-f]{12}: the score public, /,
  );
  const board = await done('leaderboard', 'told');
  expect(board).not.toMatch(/\nbase +20 +public@1 /);
  for (const text of [board, await done('explain', 'told')]) expect(text).toMatch(/bob[^]*of another model/);
  await untilHeld();

  await record(earlier, '20/50');
  await record(later, '40/50');
  await eventually('it has ended', 600, async () => (await say('status', 'told')).output.includes('completed'));
  expect(await done('explain', 'told', 'base')).toContain(`Promoted ${later}: highest on public with 80.0 %`);
});

test('an import that is withdrawn counts nowhere, and once more when it is brought again', async () => {
  const bring = () => done('import-eval', lmEval, '--checkpoint', later, '--task', 'tiny_choice');
  const row = /\nbase +40 +lm-eval-tiny-choice +6×1 +0\.167 /;
  const [, id = ''] = /^Imported as ([0-9a-f]{12}): /.exec(await bring()) ?? [];
  expect(await done('leaderboard', 'told')).toMatch(row);
  await done('withdraw', id, '--note', 'of another model');
  expect(await done('leaderboard', 'told')).not.toMatch(row);
  expect(await bring()).toMatch(/^Imported as /);
  expect(await done('leaderboard', 'told')).toMatch(row);
});

test('what nobody brought cannot be withdrawn', async () => {
  const { exitCode, errors } = await say('withdraw', '0123456789ab', '--note', 'none');
  expect([exitCode, errors]).toEqual([2, expect.stringContaining('0123456789ab')]);
});
