/** `npm run demo -- --kill trainer` as a person runs it, with trainers that learn nothing: what it kills, says and compares. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { processesOf } from '../../scripts/processes-of-store.ts';
import { repository } from '../../scripts/repository.ts';
import { readSettings } from '../../workers/settings.ts';
import { demoPlace, type DemoPlace } from '../support/demo-program.ts';
import { careless, recipeText, shortRecipe } from '../support/short-recipe.ts';

let place: DemoPlace;
let profiles: string;

beforeAll(async () => {
  place = await demoPlace(recipeText(await shortRecipe(['base', 'sft'], careless)));
  profiles = join(dirname(place.store), 'profiles');
  await mkdir(profiles);
  const trainers = join(repository, 'trainers');
  const standIn = [
    'env',
    `PYTHONPATH=${trainers}`,
    readSettings(process.env).python,
    join(trainers, 'bench', 'stand_in'),
  ];
  const profile = {
    name: 'local',
    backend: 'local',
    slots: 2,
    graceSeconds: 5,
    trainer: [...standIn, '--step-seconds', '0.15'],
  };
  await writeFile(join(profiles, 'local.yaml'), stringify(profile));
});
afterAll(() => place.close());

const ended = async (args: readonly string[] = []) => await place.start({ TEMPER_PROFILES: profiles }, args).ended;

it('kills the trainer of each phase once, begins anew each time, and ends with the bytes of the undisturbed run', async () => {
  const undisturbed = await ended();
  expect(undisturbed).toMatchObject({ code: 0, error: '' });
  const { code, out, error } = await ended(['--kill', 'trainer']);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  for (const { phase, checkpointEvery } of [
    { phase: 'base', checkpointEvery: 20 },
    { phase: 'sft', checkpointEvery: 5 },
  ]) {
    const stepIn = (line: string) => Number(new RegExp(`^${line}`, 'm').exec(out)?.[1]);
    const killed = stepIn(`SIGKILL for the trainer in ${phase}, at step ([23]\\d)\\.$`);
    const last = stepIn(`${phase} +1 +its start +step (\\d+) +\\d+\\.\\d s +killed: `);
    const from = stepIn(`${phase} +2 +step (\\d+) +step 40 +0\\.0 s +completed$`);
    expect(last).toBeGreaterThanOrEqual(killed);
    // The newest of its checkpoints, or the one before where it was killed while it saved.
    expect(from % checkpointEvery).toBe(0);
    expect(from).toBeGreaterThan(last - 2 * checkpointEvery);
    expect(from).toBeLessThanOrEqual(last);
    expect(from).toBeGreaterThanOrEqual(20);
    expect(out).toMatch(new RegExp(`^${phase} +40 steps, .*is that of the undisturbed run, byte for byte`, 'm'));
  }
  expect(out).toContain('Killed 2 times');
  expect(await processesOf(place.store)).toEqual([]);
});

it.each([
  { args: ['--kill', 'me'], want: 'there is nothing called so to kill: `npm run demo -- --kill trainer`' },
  { args: ['--help'], want: 'the demo knows nothing of "--help"' },
])('refuses $args', async ({ args, want }) => {
  const { code, out, error } = await ended(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toContain(want);
});
