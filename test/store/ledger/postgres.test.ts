/** The ledger in a real PostgreSQL: what every ledger does, and a server that goes away. */
import { sql } from 'kysely';
import { openPostgres, openPostgresLedger } from '../../../store/ledger/postgres.ts';
import { type PostgresServer, runIn, startPostgres } from '../../support/postgres-server.ts';
import { everyLedger } from './every-ledger.ts';
import { at, evaluation, type FreshLedger, freshPostgresLedger, problem, reservation } from './ledgers.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server.close());

everyLedger(() => freshPostgresLedger(server));

describe('one ledger for many workers', () => {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshPostgresLedger(server);
  });
  afterEach(() => fresh.close());

  test('five that open a new one at once all can', async () => {
    const schema = 'opened_by_many';
    await runIn(server.address, `CREATE SCHEMA ${schema}`);
    const place = `${server.address}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    const ledgers = await Promise.all(Array.from({ length: 5 }, () => openPostgresLedger(place)));
    expect(await Promise.all(ledgers.map((ledger) => ledger.pipelines()))).toEqual([[], [], [], [], []]);
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  });

  test('tables of another program in another schema are not taken for its own', async () => {
    const schema = 'beside_another';
    await runIn(server.address, 'CREATE SCHEMA another; CREATE TABLE another.kysely_migration_lock (id int)');
    await runIn(server.address, `CREATE SCHEMA ${schema}`);
    const ledger = await openPostgresLedger(
      `${server.address}?options=${encodeURIComponent(`-c search_path=${schema}`)}`,
    );
    expect(await ledger.pipelines()).toEqual([]);
    await ledger.close();
  });

  test('numbers of 64 bits, and a NUL that a log held, come back', async () => {
    const seen = evaluation({ seed: Number.MAX_SAFE_INTEGER, problems: [problem('a\0b', { tokens: 5_000_000_000 })] });
    await fresh.ledger.recordEvaluation({ evaluation: seen, runId: 'run-1', jobName: 't-1', at });
    expect(await fresh.ledger.evaluationsOf([seen.checkpoint])).toEqual([
      { ...seen, problems: [problem('a\uFFFDb', { tokens: 5_000_000_000 })] },
    ]);
  });

  test('texts are in the order of their bytes, whatever the language of the database', async () => {
    const db = openPostgres(fresh.place);
    const { rows } = await sql<{ name: string }>`
      SELECT DISTINCT collation_name AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND data_type = 'text' AND table_name NOT LIKE 'kysely%'`.execute(db);
    await db.destroy();
    expect(rows).toEqual([{ name: 'C' }]);
  });
});

describe('a server that goes away', () => {
  test('and comes back is waited for: nothing is lost, and no number given twice', async () => {
    const fresh = await freshPostgresLedger(server);
    // A busy machine may take long to start it.
    const ledger = await openPostgresLedger(fresh.place, { patienceMilliseconds: 60_000 });
    expect((await ledger.reserveAttempt(reservation('one'))).number).toBe(1);
    await server.kill();
    const asked = ledger.reserveAttempt(reservation('two'));
    await server.start();
    expect((await asked).number).toBe(2);
    expect((await ledger.reserveAttempt(reservation('one'))).number).toBe(1);
    await ledger.close();
    await fresh.close();
  });

  test('for longer is told without its password, and is used again when it is back', async () => {
    const fresh = await freshPostgresLedger(server);
    const place = fresh.place.replace('temper@', 'temper:very-secret@');
    const ledger = await openPostgresLedger(place, { patienceMilliseconds: 100 });
    await server.kill();
    const failure: unknown = await ledger.pipelines().catch((error: unknown) => error);
    await server.start();
    expect(failure).toMatchObject({
      code: 'store-unavailable',
      message: expect.stringMatching(/^the ledger's PostgreSQL does not answer: /) as string,
    });
    expect((failure as Error).message).not.toContain('secret');
    expect(await ledger.pipelines()).toEqual([]);
    await ledger.close();
    await fresh.close();
  });
});

describe('refuses', () => {
  test.each([
    [
      'a database that is not there',
      () => server.address.replace(/temper$/, 'nowhere'),
      /database "nowhere" does not exist \(3D000\)/,
    ],
    [
      'a user that is not there',
      () => server.address.replace('temper@', 'stranger@'),
      /role "stranger" does not exist \(28000\)/,
    ],
    ['an address of something else', () => 'mysql://here/there', /none of PostgreSQL: postgresql:/],
  ])('%s', async (_, address, message) => {
    await expect(openPostgresLedger(address())).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringMatching(message) as string,
    });
  });

  test('a ledger from a newer Temper', async () => {
    const fresh = await freshPostgresLedger(server);
    const db = openPostgres(fresh.place);
    await sql`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', '2030')`.execute(db);
    await db.destroy();
    await expect(openPostgresLedger(fresh.place)).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('newer Temper') as string,
    });
    await fresh.close();
  });
});
