/** A process that escapes the end of its job: another session, no trace of the job in its environment. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endOf, isRunning, statusWhen, textOf, workplace, type Workplace } from './jobs.ts';

let place: Workplace;
beforeAll(async () => {
  place = await workplace();
});
afterAll(() => place.close());

/** Writes a late result where its job ran, once it is told to. */
const zombie =
  "env -i setsid sh -c 'echo $$ > zombie; until [ -e rise ]; do sleep 0.02; done; echo late > result.json' & sleep 60";

test('it writes into its own attempt, and neither the next attempt nor its slot knows of it', async () => {
  const backend = place.backend({ slots: 1 });
  const first = await backend.submit(await place.job(zombie));
  await textOf(join(first.directory, 'zombie'));
  await backend.stop(first, { reason: 'cancel', graceSeconds: 0.3 });

  const second = await backend.submit(await place.job('until [ -e go ]; do sleep 0.02; done; echo mine > result.json'));
  await statusWhen(backend, second, isRunning);
  await writeFile(join(first.directory, 'rise'), '');
  expect(await textOf(join(first.directory, 'result.json'))).toBe('late');
  expect(await readdir(second.directory)).not.toContain('result.json');
  expect((await backend.status(first)).state).toBe('ended');

  await writeFile(join(second.directory, 'go'), '');
  expect(await endOf(backend, second)).toMatchObject({ exitCode: 0, stopRequested: null });
  expect(await readFile(join(second.directory, 'result.json'), 'utf8')).toBe('mine\n');
  // The result of another attempt would be refused by its token: decisions/proof.ts.
  expect(second.uid).not.toBe(first.uid);
});
