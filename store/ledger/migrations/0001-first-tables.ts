/** The first tables. Types that SQLite and PostgreSQL both know; an index for every query of the ledger. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

async function pipelinesAndPhases(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  await db.schema
    .createTable('pipelines')
    .addColumn('run_id', text, (column) => column.primaryKey())
    .addColumn('workflow_id', text, (column) => column.notNull())
    .addColumn('recipe', text, (column) => column.notNull())
    .addColumn('identity', text, (column) => column.notNull())
    .addColumn('resolved', text, (column) => column.notNull())
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('ended_at', text)
    .addColumn('outcome', text)
    .execute();
  await db.schema.createIndex('pipelines_by_workflow').on('pipelines').columns(['workflow_id', 'started_at']).execute();
  await db.schema.createIndex('pipelines_by_start').on('pipelines').columns(['started_at']).execute();
  await db.schema
    .createTable('phases')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('workflow_id', text, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('identity', text, (column) => column.notNull())
    .addColumn('identity_text', text, (column) => column.notNull())
    .addColumn('promoted', text)
    .addColumn('because', text)
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('phases_key', ['run_id', 'phase'])
    .execute();
  await db.schema.createIndex('phases_by_identity').on('phases').columns(['identity', 'state', 'updated_at']).execute();
  await db.schema.createIndex('phases_by_kind').on('phases').columns(['kind', 'state', 'updated_at']).execute();
}

async function attemptsAndIncidents(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  await db.schema
    .createTable('attempts')
    .addColumn('workflow_id', text, (column) => column.notNull())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('purpose', text, (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('reservation_key', text, (column) => column.notNull().unique())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('job_name', text)
    .addColumn('job_uid', text)
    .addColumn('directory', text)
    .addColumn('request', text)
    .addColumn('evidence', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('ended_at', text)
    .addPrimaryKeyConstraint('attempts_key', ['workflow_id', 'phase', 'purpose', 'number'])
    .execute();
  await db.schema.createIndex('attempts_by_state').on('attempts').columns(['state', 'created_at']).execute();
  await db.schema
    .createTable('incidents')
    .addColumn('workflow_id', text, (column) => column.notNull())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('purpose', text, (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('class', text, (column) => column.notNull())
    .addColumn('incident', text, (column) => column.notNull())
    .addColumn('evidence', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('incidents_key', ['workflow_id', 'phase', 'purpose', 'attempt'])
    .execute();
  await db.schema
    .createIndex('incidents_by_run')
    .on('incidents')
    .columns(['run_id', 'purpose', 'phase', 'created_at'])
    .execute();
}

async function checkpointsAndEvaluations(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  await db.schema
    .createTable('checkpoints')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('workflow_id', text, (column) => column.notNull())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('step', 'integer', (column) => column.notNull())
    .addColumn('parent_id', text)
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('format', text, (column) => column.notNull())
    .addColumn('base', text)
    .addColumn('level', text, (column) => column.notNull())
    .addColumn('digest', text)
    .addColumn('weights', text)
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('resumable', 'integer', (column) => column.notNull())
    .addColumn('finite', 'integer', (column) => column.notNull())
    .addColumn('pinned', 'integer', (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('checkpoints_by_phase')
    .on('checkpoints')
    .columns(['run_id', 'phase', 'attempt', 'step'])
    .execute();
  await db.schema
    .createTable('evaluations')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('checkpoint', text, (column) => column.notNull())
    .addColumn('benchmark', text, (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('seed', 'bigint', (column) => column.notNull())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('job_name', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addUniqueConstraint('evaluations_once', ['checkpoint', 'benchmark', 'version', 'seed'])
    .execute();
  await db.schema.createIndex('evaluations_by_run').on('evaluations').columns(['run_id']).execute();
  await db.schema
    .createTable('outcomes')
    .addColumn('evaluation_id', text, (column) => column.notNull().references('evaluations.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('problem', text, (column) => column.notNull())
    .addColumn('samples', 'integer', (column) => column.notNull())
    .addColumn('correct', 'integer', (column) => column.notNull())
    .addColumn('tokens', 'bigint', (column) => column.notNull())
    .addColumn('truncated', 'integer', (column) => column.notNull())
    .addColumn('seconds', 'double precision', (column) => column.notNull())
    .addColumn('answers', text, (column) => column.notNull())
    .addColumn('correct_answers', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('outcomes_key', ['evaluation_id', 'position'])
    .addUniqueConstraint('outcomes_once', ['evaluation_id', 'problem'])
    .execute();
}

async function decisionsAndVerdicts(db: Kysely<unknown>): Promise<void> {
  const text = textType(db);
  await db.schema
    .createTable('decisions')
    .addColumn('key', text, (column) => column.primaryKey())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('attempt', 'integer')
    .addColumn('question', text, (column) => column.notNull())
    .addColumn('answer', text, (column) => column.notNull())
    .addColumn('evidence', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('decisions_by_run').on('decisions').columns(['run_id', 'phase', 'created_at']).execute();
  await db.schema
    .createTable('verdicts')
    .addColumn('key', text, (column) => column.primaryKey())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('verdict', text, (column) => column.notNull())
    .addColumn('evidence', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('verdicts_by_run').on('verdicts').columns(['run_id', 'phase', 'created_at']).execute();
}

export const firstTables = {
  async up(db: Kysely<unknown>): Promise<void> {
    await pipelinesAndPhases(db);
    await attemptsAndIncidents(db);
    await checkpointsAndEvaluations(db);
    await decisionsAndVerdicts(db);
  },
};
