/** The ledger in an SQLite file. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { migrateLedger } from '../../../store/ledger/migrate.ts';
import { networkFilesystem } from '../../../store/ledger/network-filesystem.ts';
import { lastFinishedQuery } from '../../../store/ledger/phases.ts';
import { openSqlite, openSqliteLedger } from '../../../store/ledger/sqlite.ts';
import { scratch } from '../checkpoint-fixtures.ts';
import { everyLedger } from './every-ledger.ts';
import { freshSqliteLedger, reservation } from './ledgers.ts';

everyLedger(freshSqliteLedger);

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

const file = () => join(folder.path, 'ledger.db');

test('migrations run twice are run once', async () => {
  const db = await openSqlite(file());
  await migrateLedger(db);
  await migrateLedger(db);
  expect(await db.selectFrom('attempts').selectAll().execute()).toEqual([]);
  await db.destroy();
});

test('three processes that open a new ledger at once all can', async () => {
  const program = `
    import { openSqliteLedger } from ${JSON.stringify(join(import.meta.dirname, '../../../store/ledger/sqlite.ts'))};
    const ledger = await openSqliteLedger(process.argv[1]);
    console.log((await ledger.pipelines()).length);
    await ledger.close();`;
  const opened = await Promise.all(
    [1, 2, 3].map(() => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, file()])),
  );
  expect(opened.map(({ stdout }) => stdout.trim())).toEqual(['0', '0', '0']);
});

test('what was committed is there after the process is gone', async () => {
  const first = await openSqliteLedger(file());
  await first.reserveAttempt(reservation('one'));
  await first.close();
  const second = await openSqliteLedger(file());
  expect((await second.reserveAttempt(reservation('two'))).number).toBe(2);
  await second.close();
});

test('is in WAL mode and waits a moment for other writers', async () => {
  const db = await openSqlite(file());
  const pragma = async (name: string) =>
    Object.values((await sql`PRAGMA ${sql.raw(name)}`.execute(db)).rows[0] as object)[0] as unknown;
  expect([await pragma('journal_mode'), await pragma('busy_timeout'), await pragma('foreign_keys')]).toEqual([
    'wal',
    50,
    1,
  ]);
  await db.destroy();
});

describe('refuses', () => {
  test('a network filesystem, naming it', async () => {
    const opening = openSqliteLedger(file(), { networkFilesystem: () => Promise.resolve('NFS') });
    await expect(opening).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringMatching(/network filesystem \(NFS\).*local disk/) as string,
    });
  });

  test("a folder in the file's place", async () => {
    await mkdir(file());
    await expect(openSqliteLedger(file())).rejects.toMatchObject({ code: 'store-unusable' });
  });

  test('a file that is no database', async () => {
    await writeFile(file(), 'this is not a database, and long enough to be looked at as one. '.repeat(100));
    await expect(openSqliteLedger(file())).rejects.toMatchObject({ code: 'store-unusable' });
  });

  test('a ledger from a newer Temper', async () => {
    const db = await openSqlite(file());
    await migrateLedger(db);
    await sql`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', '2030')`.execute(db);
    await db.destroy();
    await expect(openSqliteLedger(file())).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('newer Temper') as string,
    });
  });
});

test('a local folder is no network filesystem', async () => {
  expect(await networkFilesystem(folder.path)).toBeNull();
});

test('every query of the ledger that selects by key uses an index', async () => {
  const db = await openSqlite(file());
  await migrateLedger(db);
  const queries = [
    db.selectFrom('pipelines').selectAll().where('workflow_id', '=', 'x').orderBy('started_at', 'desc'),
    db.selectFrom('pipelines').selectAll().orderBy('started_at', 'desc').limit(20),
    db.selectFrom('phases').selectAll().where('identity', '=', 'x').where('state', 'in', ['completed', 'rejected']),
    db.selectFrom('phases').selectAll().where('kind', '=', 'sft').where('state', 'in', ['completed', 'rejected']),
    db.selectFrom('phases').selectAll().where('run_id', '=', 'x'),
    db.selectFrom('attempts').selectAll().where('reservation_key', '=', 'x'),
    db.selectFrom('attempts').selectAll().where('state', 'in', ['queued', 'running']).orderBy('created_at'),
    db
      .selectFrom('attempts')
      .selectAll()
      .where('workflow_id', '=', 'x')
      .where('phase', '=', 'x')
      .where('purpose', '=', 'train'),
    db.selectFrom('checkpoints').selectAll().where('run_id', '=', 'x').where('phase', '=', 'x'),
    db.selectFrom('evaluations').selectAll().where('checkpoint', 'in', ['x', 'y']),
    db.selectFrom('evaluations').selectAll().where('run_id', '=', 'x'),
    db.selectFrom('evaluations').selectAll().orderBy('created_at', 'desc').limit(20),
    db.selectFrom('evaluations').selectAll().where('benchmark', '=', 'x').orderBy('created_at', 'desc').limit(20),
    db.selectFrom('evaluations').select('benchmark').distinct().orderBy('benchmark'),
    db.selectFrom('outcomes').select('problem').distinct().where('evaluation_id', 'in', ['x', 'y']),
    db.selectFrom('outside_scores').selectAll().where('checkpoint', 'in', ['x', 'y']),
    db.selectFrom('outside_scores').selectAll().where('corrects', '=', 'x'),
    db.selectFrom('outcomes').selectAll().where('evaluation_id', 'in', ['x', 'y']),
    db
      .selectFrom('incidents')
      .selectAll()
      .where('run_id', '=', 'x')
      .where('purpose', '=', 'train')
      .where('phase', '=', 'x'),
    db.selectFrom('incidents').selectAll().where('cluster', '=', 'x').where('created_at', '>=', 'x'),
    db.selectFrom('forgotten_nodes').selectAll().where('cluster', '=', 'x').where('created_at', '>=', 'x'),
    db.selectFrom('decisions').selectAll().where('run_id', '=', 'x').where('phase', '=', 'x'),
    db.selectFrom('verdicts').selectAll().where('run_id', '=', 'x'),
    db.selectFrom('phases').selectAll().where('promoted', '=', 'x').orderBy('updated_at', 'desc'),
    lastFinishedQuery(db, 10),
    db
      .selectFrom('sweeps')
      .selectAll()
      .where('name', '=', 'x')
      .where('outcome', 'in', ['completed', 'failed'])
      .where('started_at', '<', 'x')
      .orderBy('started_at', 'desc')
      .limit(1),
  ];
  const plain = new Database(file());
  for (const query of queries) {
    const { sql: text, parameters } = query.compile();
    const plan = JSON.stringify(plain.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...parameters));
    expect(plan).toMatch(/USING (COVERING )?INDEX/);
    expect(plan).not.toMatch(/"SCAN \w+"/);
  }
  plain.close();
  await db.destroy();
});
