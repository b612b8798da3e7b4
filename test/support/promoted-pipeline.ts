/** A pipeline `demo` on a real ledger and store: a base and an sft, both promoted, made by fake trainers in two attempts. */
import { join } from 'node:path';
import { recipeSchema } from '../../configs/schema.ts';
import type { CheckpointRef, PhaseContext, ResolvedPipeline } from '../../workflows/contract.ts';
import { computeSeal, writeSeal } from '../../store/seal.ts';
import { hfFiles, write } from '../store/checkpoint-fixtures.ts';
import { type ActivityBench, contextOf, runId, startAttempt } from './activity-bench.ts';
import { fakeTrainer } from './fake-trainer.ts';
import { recipeOf } from './recipes.ts';

export const because = 'Promoted: the highest on addition.';
const at = '2026-11-29T09:00:00.000Z';

export interface PromotedPipeline {
  readonly base: CheckpointRef;
  readonly sft: CheckpointRef;
}

export async function promotedPipeline(bench: ActivityBench): Promise<PromotedPipeline> {
  const resolved = { recipe: recipeSchema.parse(recipeOf()) } as unknown as ResolvedPipeline;
  await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'run-1', resolved });
  const base = await promotedBase(bench);
  const context = contextOf({ start: base });
  const sft = await trained(bench, context);
  return { base, sft: await bench.as(runId).promote({ context, checkpoint: sft, because, score: 0.5 }) };
}

async function promotedBase({ folder, ledger }: ActivityBench): Promise<CheckpointRef> {
  const path = join(folder, 'pipelines', 'demo', 'base', 'attempt-1', 'checkpoints', 'checkpoint-160');
  await write(path, hfFiles(160));
  const seal = await computeSeal(path, { step: 160, format: 'hf' });
  await writeSeal(path, seal);
  const id = 'demo/base/a1/checkpoint-160';
  const made = { workflowId: 'demo', runId: 'run-1', phase: 'base', at };
  await ledger.recordCheckpoint({
    ...made,
    id,
    attempt: 1,
    step: 160,
    parent: null,
    path,
    format: 'hf',
    base: null,
    bytes: 1,
    resumable: true,
    finite: true,
  });
  await ledger.sealCheckpoint({ id, digest: seal.digest, weights: seal.weights });
  const phase = {
    position: 0,
    kind: 'base',
    identity: 'base',
    identityText: '{"params":{"steps":160},"seed":1}',
  } as const;
  await ledger.upsertPhase({
    ...made,
    ...phase,
    state: 'completed',
    promoted: id,
    because: { sentence: 'The newest.', score: null },
  });
  return { id, path, format: 'hf', base: null, step: 160, digest: seal.digest };
}

/** Steps 0–20 in one attempt that is killed, 20–50 in the next. */
async function trained(bench: ActivityBench, context: PhaseContext): Promise<CheckpointRef> {
  const killed = await startAttempt(bench, 1, { context });
  await fakeTrainer(killed).saves(20);
  bench.backend.end(killed.job, { exitCode: null, signal: 'SIGKILL' });
  await bench.as(runId).judgeAttempt(killed);
  const done = await startAttempt(bench, 2, { context });
  await fakeTrainer(done).saves(50);
  await fakeTrainer(done).finishes();
  bench.backend.end(done.job);
  await bench.as(runId).judgeAttempt(done);
  const record = await bench.ledger.checkpoint('demo/sft/a2/checkpoint-50');
  if (record === null) throw new Error('the sft was not completed');
  const { id, path, format, base, step, digest } = record;
  return { id, path, format, base, step, digest };
}
