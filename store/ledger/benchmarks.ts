/**
 * Benchmarks in the ledger: what a name and version meant when they were first evaluated. The first meaning stays.
 *
 * Does not cover what a definition holds (decisions/benchmark-definition.ts) or evaluations (evaluations.ts).
 */
import type { Kysely } from 'kysely';
import type { LedgerTables } from './schema.ts';

export interface BenchmarkKey {
  readonly name: string;
  readonly version: number;
}

export interface BenchmarkLedger {
  /** Keeps the definition unless there is one; answers with the one that is kept. */
  claimBenchmark(claim: BenchmarkKey & { readonly definition: string; readonly at: string }): Promise<string>;
  /** Null where nothing was scored under this name and version. */
  definitionOf(key: BenchmarkKey): Promise<string | null>;
  /** Every version of a name, the newest first. */
  definitionsOf(name: string): Promise<readonly { readonly version: number; readonly definition: string }[]>;
}

export function benchmarkLedger(db: Kysely<LedgerTables>): BenchmarkLedger {
  const definitionOf = async ({ name, version }: BenchmarkKey) => {
    const row = await db
      .selectFrom('benchmarks')
      .select('definition')
      .where('name', '=', name)
      .where('version', '=', version)
      .executeTakeFirst();
    return row?.definition ?? null;
  };
  return {
    definitionOf,
    async definitionsOf(name) {
      return await db
        .selectFrom('benchmarks')
        .select(['version', 'definition'])
        .where('name', '=', name)
        .orderBy('version', 'desc')
        .execute();
    },
    async claimBenchmark({ name, version, definition, at }) {
      await db
        .insertInto('benchmarks')
        .values({ name, version, definition, created_at: at })
        .onConflict((conflict) => conflict.columns(['name', 'version']).doNothing())
        .execute();
      return (await definitionOf({ name, version })) ?? definition;
    },
  };
}
