/** The type of text columns. In PostgreSQL texts are compared byte by byte, as in SQLite, whatever the database's language is. */
import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';

export function textType(db: Kysely<unknown>): 'text' | RawBuilder<unknown> {
  return db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : 'text';
}
