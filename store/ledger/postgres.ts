/**
 * Opens the ledger in a PostgreSQL database, for workers of several machines. The tables and queries are those of the embedded one.
 *
 * Covers connections, what passes and what does not. Does not cover where the address comes from: it is a secret, and no error holds it.
 */
import {
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  PostgresDialect,
  type PrimitiveValueListNode,
  sql,
  type ValueNode,
} from 'kysely';
import { type CustomTypesConfig, Pool, type PoolConfig, types } from 'pg';
import { TemperError } from '../../decisions/errors.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { migrateLedger } from './migrate.ts';
import { patient } from './patience.ts';
import type { LedgerTables } from './schema.ts';

export interface PostgresOptions {
  /** How long an operation waits for a server that is away, in milliseconds. @default 10000 */
  readonly patienceMilliseconds?: number;
}

const connections = 10;
const connectMilliseconds = 5000;
const statementMilliseconds = 30_000;

/**
 * `address`: `postgresql://user:password@host:5432/database?sslmode=verify-full`. Creates and migrates the tables. Throws
 * `store-unusable` where the server refuses the user or knows no such database, `store-unavailable` where it cannot be reached.
 */
export async function openPostgresLedger(
  address: string,
  { patienceMilliseconds = 10_000 }: PostgresOptions = {},
): Promise<Ledger> {
  const db = openPostgres(address);
  try {
    const { schemaOf } = patient({ schemaOf: () => currentSchema(db) }, patienceMilliseconds, isPassing);
    await migrateLedger(db, await schemaOf());
  } catch (cause) {
    await db.destroy();
    throw asTemperError(cause);
  }
  const ledger = patient(createLedger(db), patienceMilliseconds, isPassing);
  return inOwnWords(ledger);
}

/** Integers of 64 bits as numbers, and not as texts: those of the ledger (bytes, tokens, seeds) are all exact. */
const exactIntegers: CustomTypesConfig = {
  getTypeParser: ((oid, format) =>
    oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format) as unknown)) as typeof types.getTypeParser,
};

/** The database under the ledger, not migrated, not reached yet. */
export function openPostgres(address: string): Kysely<LedgerTables> {
  const pool = new Pool({
    ...addressOf(address),
    max: connections,
    connectionTimeoutMillis: connectMilliseconds,
    statement_timeout: statementMilliseconds,
    keepAlive: true,
    application_name: 'temper',
    types: exactIntegers,
  });
  // A connection that breaks while nobody uses it: the next query opens another.
  pool.on('error', () => undefined);
  return new Kysely<LedgerTables>({ dialect: new PostgresDialect({ pool }), plugins: [nulReplaced] });
}

function addressOf(address: string): PoolConfig {
  const url = URL.parse(address);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw new TemperError(
      'store-unusable',
      'the address of the ledger is none of PostgreSQL: postgresql://user:password@host:5432/database',
    );
  return { connectionString: address };
}

/** PostgreSQL's text holds every character but NUL, which the last line of a log may well hold. */
class NulReplacer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: withoutNul(node.value) };
  }
  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(withoutNul) };
  }
}

const withoutNul = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value);

const nulReplaced: KyselyPlugin = {
  transformQuery: ({ node }) => new NulReplacer().transformNode(node),
  transformResult: ({ result }) => Promise.resolve(result),
};

async function currentSchema(db: Kysely<LedgerTables>): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`SELECT current_schema() AS schema`.execute(db);
  const schema = rows[0]?.schema ?? null;
  if (schema !== null) return schema;
  throw new TemperError('store-unusable', "the ledger's PostgreSQL has no schema that its user may use");
}

/** What a server that restarts, is full for a moment or lost a race says; codes of SQLSTATE and of Node. */
const passing =
  /^(08\d{3}|57P0[123]|53300|40001|40P01|55P03|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;

function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return passing.test(code);
  return /^(Connection terminated|timeout exceeded when trying to connect)/.test(String(message));
}

/** Wrong password, unknown user, database or schema, no right: nothing that waiting mends. */
const unusable = /^(28\w{3}|3D000|3F000|42501|ENOTFOUND|SELF_SIGNED_\w+|DEPTH_ZERO_\w+|UNABLE_TO_\w+|CERT_\w+)$/;

function asTemperError(error: unknown): unknown {
  if (error instanceof TemperError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const why = `${String(message)}${typeof code === 'string' ? ` (${code})` : ''}`;
  if (unusable.test(String(code)))
    return new TemperError('store-unusable', `the ledger's PostgreSQL refuses Temper: ${why}`, { cause: error });
  if (isPassing(error))
    return new TemperError('store-unavailable', `the ledger's PostgreSQL does not answer: ${why}`, { cause: error });
  return error;
}

function inOwnWords<Methods extends object>(methods: Methods): Methods {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    async (...parameters: unknown[]) => {
      try {
        return await (method as (...parameters: unknown[]) => Promise<unknown>)(...parameters);
      } catch (error) {
        throw asTemperError(error);
      }
    },
  ]);
  return Object.fromEntries(entries) as Methods;
}
