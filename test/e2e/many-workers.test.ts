/** Two workers on one task queue with one ledger in PostgreSQL: the database and a worker are killed while a phase trains. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openPostgresLedger } from '../../store/ledger/postgres.ts';
import { type Embedded, type Site, startEmbedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';

let postgres: PostgresServer;
let embedded: Embedded;
let site: Site;

beforeAll(async () => {
  [postgres, embedded] = await Promise.all([startPostgres(), startEmbedded()]);
  const profiles = join(embedded.folder, 'profiles');
  await mkdir(profiles);
  const profile = { name: 'shared', backend: 'local', slots: 2, ledger: { postgres: { env: 'LEDGER_ADDRESS' } } };
  await writeFile(join(profiles, 'shared.yaml'), stringify(profile));
  site = await embedded.site('many', {
    TEMPER_PROFILES: profiles,
    TEMPER_TEST_PROFILE: 'shared',
    LEDGER_ADDRESS: postgres.address,
  });
});
afterAll(async () => {
  await embedded.close();
  await postgres.close();
});

test('nothing is trained twice, nothing is lost, and the database is waited for', async () => {
  const [doomed] = await Promise.all([site.startWorker(), site.startWorker()]);
  const pipeline = await site.start('shared', { recipe: await shortRecipe(['base', 'sft'], careless) });
  await eventually('base has a checkpoint', 600, async () => {
    const found = await site.runs.checkpoints(site.attempt('shared', 'base')).catch(() => []);
    return found.some(({ level }) => level === 'complete');
  });
  await postgres.kill();
  await doomed.kill();
  // For longer than a ledger is patient for: its activities fail, and are tried again.
  await eventually('the trainer has ended without a ledger', 600, async () => {
    return (await site.runs.result(site.attempt('shared', 'base'))) !== null;
  });
  await postgres.start();
  expect((await pipeline.result()).promoted.map(({ outcome }) => outcome.state)).toEqual(['completed', 'completed']);

  const ledger = await openPostgresLedger(postgres.address);
  const attempts = await Promise.all(
    ['base', 'sft'].map((phase) => ledger.attemptsOf({ workflowId: 'shared', phase })),
  );
  expect(attempts.map((of) => of.map(({ number, state }) => [number, state]))).toEqual([
    [[1, 'completed']],
    [[1, 'completed']],
  ]);
  await ledger.close();
}, 900_000);
