/**
 * Evaluations in the ledger: exactly once per checkpoint, benchmark, version and seed, with one row per problem.
 *
 * The first record of a key stays. Does not cover scores from outside or leaderboard rows (decisions/leaderboard.ts).
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { ExpressionBuilder, Kysely } from 'kysely';
import type { Evaluation, EvaluationKey, ProblemOutcome } from '../../decisions/evaluation.ts';
import type { LedgerTables } from './schema.ts';

export interface EvaluationLedger {
  /** `recorded` is false when this key was recorded before; the answer is then the first one. */
  recordEvaluation(record: {
    readonly evaluation: Evaluation;
    readonly runId: string;
    readonly jobName: string;
    readonly at: string;
  }): Promise<{ readonly recorded: boolean; readonly evaluation: Evaluation }>;
  /** On these benchmarks, with what a score is made of: their problems, without the answers. */
  scoredEvaluationsOf(of: {
    readonly checkpoints: readonly string[];
    readonly benchmarks: readonly string[];
  }): Promise<readonly Evaluation[]>;
  /** With all their problems. Of this and the others: what was taken back is left out. */
  evaluationsOf(checkpoints: readonly string[]): Promise<readonly Evaluation[]>;
  /** Without their problems: what is done already. */
  evaluationKeysOf(checkpoints: readonly string[]): Promise<readonly EvaluationKey[]>;
  /** How many a run has made: what its evaluation budget has spent. */
  evaluationCountOf(runId: string): Promise<number>;
}

/** Rows of one INSERT: thirteen values each, under SQLite's limit of variables. */
const rowsPerInsert = 500;
/** Names in one IN list. */
export const namesPerQuery = 500;

export function idOf(key: EvaluationKey): string {
  return JSON.stringify([key.checkpoint, key.benchmark, key.version, key.seed]);
}

/** For a query of evaluations: not those that a person took back. */
export function countsStill(query: ExpressionBuilder<LedgerTables, 'evaluations'>) {
  const withdrawn = query.selectFrom('withdrawals').select('withdrawals.id');
  return query.not(query.exists(withdrawn.whereRef('withdrawals.evaluation_id', '=', 'evaluations.id')));
}

export function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}

function outcomeRow(id: string, outcome: ProblemOutcome, position: number): LedgerTables['outcomes'] {
  return {
    evaluation_id: id,
    position,
    problem: outcome.problem,
    samples: outcome.samples,
    correct: outcome.correct,
    tokens: outcome.tokens,
    truncated: outcome.truncated,
    seconds: outcome.seconds,
    answers: JSON.stringify(outcome.answers),
    correct_answers: JSON.stringify(outcome.correctAnswers),
    type: outcome.type ?? null,
    voted: outcome.voted ?? null,
    timed_out: outcome.timedOut ?? null,
  };
}

async function problemsOf(db: Kysely<LedgerTables>, ids: readonly string[]): Promise<Map<string, ProblemOutcome[]>> {
  const problems = new Map<string, ProblemOutcome[]>(ids.map((id) => [id, []]));
  for (const part of chunks(ids, namesPerQuery)) {
    const rows = await db
      .selectFrom('outcomes')
      .selectAll()
      .where('evaluation_id', 'in', part)
      .orderBy('evaluation_id')
      .orderBy('position')
      .execute();
    for (const row of rows) {
      problems.get(row.evaluation_id)?.push({
        problem: row.problem,
        samples: row.samples,
        correct: row.correct,
        tokens: row.tokens,
        truncated: row.truncated,
        seconds: row.seconds,
        answers: JSON.parse(row.answers) as (string | null)[],
        correctAnswers: JSON.parse(row.correct_answers) as boolean[],
        ...(row.type === null ? {} : { type: row.type }),
        ...(row.voted === null ? {} : { voted: row.voted }),
        ...(row.timed_out === null ? {} : { timedOut: row.timed_out }),
      });
    }
  }
  return problems;
}

/** The same without their answers, which are most of what a row holds. */
async function scoredProblemsOf(
  db: Kysely<LedgerTables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly ProblemOutcome[]>> {
  const problems = new Map<string, ProblemOutcome[]>(ids.map((id) => [id, []]));
  for (const part of chunks(ids, namesPerQuery)) {
    const rows = await db
      .selectFrom('outcomes')
      .select([
        'evaluation_id',
        'problem',
        'samples',
        'correct',
        'tokens',
        'truncated',
        'seconds',
        'voted',
        'timed_out',
      ])
      .where('evaluation_id', 'in', part)
      .orderBy('evaluation_id')
      .orderBy('position')
      .execute();
    for (const { evaluation_id: id, voted, timed_out: timedOut, ...row } of rows)
      problems.get(id)?.push({
        ...{ ...row, answers: [], correctAnswers: [] },
        ...(voted === null ? {} : { voted }),
        ...(timedOut === null ? {} : { timedOut }),
      });
    await othersTurn();
  }
  return problems;
}

async function keysOf(
  db: Kysely<LedgerTables>,
  checkpoints: readonly string[],
): Promise<(EvaluationKey & { id: string })[]> {
  const keys: (EvaluationKey & { id: string })[] = [];
  for (const part of chunks(checkpoints, namesPerQuery)) {
    const rows = await db
      .selectFrom('evaluations')
      .select(['id', 'checkpoint', 'benchmark', 'version', 'seed'])
      .where('checkpoint', 'in', part)
      .where(countsStill)
      .orderBy('checkpoint')
      .orderBy('benchmark')
      .orderBy('version')
      .orderBy('seed')
      .execute();
    keys.push(...rows);
  }
  return keys;
}

async function insertOnce(
  db: Kysely<LedgerTables>,
  row: LedgerTables['evaluations'],
  outcomes: LedgerTables['outcomes'][],
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const inserted = await transaction
      .insertInto('evaluations')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
    for (const part of chunks(outcomes, rowsPerInsert)) await transaction.insertInto('outcomes').values(part).execute();
    return true;
  });
}

export function evaluationLedger(db: Kysely<LedgerTables>): EvaluationLedger {
  return {
    async recordEvaluation({ evaluation, runId, jobName, at }) {
      const { checkpoint, benchmark, version, seed } = evaluation;
      const id = idOf(evaluation);
      const recorded = await insertOnce(
        db,
        { id, checkpoint, benchmark, version, seed, run_id: runId, job_name: jobName, created_at: at },
        evaluation.problems.map((outcome, position) => outcomeRow(id, outcome, position)),
      );
      if (recorded) return { recorded, evaluation };
      const problems = (await problemsOf(db, [id])).get(id) ?? [];
      return { recorded, evaluation: { checkpoint, benchmark, version, seed, problems } };
    },
    async scoredEvaluationsOf({ checkpoints, benchmarks }) {
      const keys = (await keysOf(db, checkpoints)).filter(({ benchmark }) => benchmarks.includes(benchmark));
      const problems = await scoredProblemsOf(
        db,
        keys.map(({ id }) => id),
      );
      return keys.map(({ id, ...key }) => ({ ...key, problems: problems.get(id) ?? [] }));
    },
    async evaluationsOf(checkpoints) {
      const keys = await keysOf(db, checkpoints);
      const problems = await problemsOf(
        db,
        keys.map((key) => key.id),
      );
      return keys.map(({ id, ...key }) => ({ ...key, problems: problems.get(id) ?? [] }));
    },
    async evaluationCountOf(runId) {
      const { count } = await db
        .selectFrom('evaluations')
        .where('run_id', '=', runId)
        .select((select) => select.fn.countAll().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async evaluationKeysOf(checkpoints) {
      return (await keysOf(db, checkpoints)).map(({ checkpoint, benchmark, version, seed }) => ({
        checkpoint,
        benchmark,
        version,
        seed,
      }));
    },
  };
}
