/**
 * Decisions and verdicts in the ledger, each with the evidence it rested on. Append only: the first record of a key stays and is
 * returned, so that a retried activity decides once.
 *
 * Does not cover deciding (decisions/); answers are kept as JSON.
 */
import type { Kysely } from 'kysely';
import type { LedgerTables } from './schema.ts';

export interface DecisionRecord<Answer = unknown> {
  /** Names this very decision, for example run id, phase, attempt and question. */
  readonly key: string;
  readonly runId: string;
  readonly phase: string;
  readonly attempt: number | null;
  /** What was asked, such as `retry`, `resume-point`, `stall`, `reuse`. */
  readonly question: string;
  readonly answer: Answer;
  readonly evidence: unknown;
  readonly at: string;
}

export interface VerdictRecord<Verdict = unknown> {
  readonly key: string;
  readonly runId: string;
  readonly phase: string;
  readonly verdict: Verdict;
  /** Keys of the evaluations it rested on, stages with their numbers, and so on. */
  readonly evidence: unknown;
  readonly at: string;
}

export interface DecisionLedger {
  recordDecision<Answer>(decision: DecisionRecord<Answer>): Promise<DecisionRecord<Answer>>;
  decisionsOf(of: { readonly runId: string; readonly phase?: string }): Promise<readonly DecisionRecord[]>;
  /** Of all runs, by time: those on this question whose answer has this text as one of its values, or seems to. */
  decisionsThatName(text: string, question: string): Promise<readonly DecisionRecord[]>;
  recordVerdict<Verdict>(verdict: VerdictRecord<Verdict>): Promise<VerdictRecord<Verdict>>;
  verdictsOf(of: { readonly runId: string; readonly phase?: string }): Promise<readonly VerdictRecord[]>;
}

const parse = (text: string) => JSON.parse(text) as unknown;

function asDecision(row: LedgerTables['decisions']): DecisionRecord {
  return {
    key: row.key,
    runId: row.run_id,
    phase: row.phase,
    attempt: row.attempt,
    question: row.question,
    answer: parse(row.answer),
    evidence: parse(row.evidence),
    at: row.created_at,
  };
}

function asVerdict(row: LedgerTables['verdicts']): VerdictRecord {
  return {
    key: row.key,
    runId: row.run_id,
    phase: row.phase,
    verdict: parse(row.verdict),
    evidence: parse(row.evidence),
    at: row.created_at,
  };
}

async function decisionsThatName(
  db: Kysely<LedgerTables>,
  text: string,
  question: string,
): Promise<readonly DecisionRecord[]> {
  const rows = await db
    .selectFrom('decisions')
    .selectAll()
    .where('question', '=', question)
    .where('answer', 'like', `%${JSON.stringify(text)}%`)
    .orderBy('created_at')
    .orderBy('key')
    .execute();
  return rows.map(asDecision);
}

export function decisionLedger(db: Kysely<LedgerTables>): DecisionLedger {
  return {
    async recordDecision<Answer>(decision: DecisionRecord<Answer>) {
      await db
        .insertInto('decisions')
        .values({
          key: decision.key,
          run_id: decision.runId,
          phase: decision.phase,
          attempt: decision.attempt,
          question: decision.question,
          answer: JSON.stringify(decision.answer ?? null),
          evidence: JSON.stringify(decision.evidence ?? null),
          created_at: decision.at,
        })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
      const row = await db
        .selectFrom('decisions')
        .selectAll()
        .where('key', '=', decision.key)
        .executeTakeFirstOrThrow();
      return asDecision(row) as DecisionRecord<Answer>;
    },
    async decisionsOf({ runId, phase }) {
      const query = db.selectFrom('decisions').selectAll().where('run_id', '=', runId);
      const rows = await (phase === undefined ? query : query.where('phase', '=', phase))
        .orderBy('created_at')
        .orderBy('key')
        .execute();
      return rows.map(asDecision);
    },
    decisionsThatName: (text, question) => decisionsThatName(db, text, question),
    async recordVerdict<Verdict>(verdict: VerdictRecord<Verdict>) {
      await db
        .insertInto('verdicts')
        .values({
          key: verdict.key,
          run_id: verdict.runId,
          phase: verdict.phase,
          verdict: JSON.stringify(verdict.verdict ?? null),
          evidence: JSON.stringify(verdict.evidence ?? null),
          created_at: verdict.at,
        })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
      const row = await db.selectFrom('verdicts').selectAll().where('key', '=', verdict.key).executeTakeFirstOrThrow();
      return asVerdict(row) as VerdictRecord<Verdict>;
    },
    async verdictsOf({ runId, phase }) {
      const query = db.selectFrom('verdicts').selectAll().where('run_id', '=', runId);
      const rows = await (phase === undefined ? query : query.where('phase', '=', phase))
        .orderBy('created_at')
        .orderBy('key')
        .execute();
      return rows.map(asVerdict);
    },
  };
}
