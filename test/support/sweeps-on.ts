/** Sweeps on an activity bench: pipelines whose checkpoints they look at, and the calls of a sweep's workflow, each night under an id of its own. */
import type { NextOfSweep } from '../../activities/sweeps.ts';
import { profileSchema, recipeSchema } from '../../configs/schema.ts';
import type { SweepOutcome } from '../../decisions/sweep.ts';
import { type ActivityBench, contextOf, runId, sft, startAttempt } from './activity-bench.ts';
import { evaluation } from './builders.ts';
import { fakeTrainer } from './fake-trainer.ts';
import { addition, recipeOf } from './recipes.ts';

export const document = { ...recipeOf([sft]), benchmarks: { addition } };
export const nightly = { name: 'nightly', benchmarks: ['addition'], seeds: 2, gpuHours: 1 };

/** `bench`: that of the test that runs. */
export function sweepsOn(bench: () => ActivityBench) {
  /** A pipeline that trains: its newest complete checkpoint is of this step. */
  async function trains(pipelineId: string, ...steps: number[]): Promise<string> {
    const context = contextOf({ pipelineId, runId: `run-of-${pipelineId}`, start: null });
    await opened(pipelineId);
    const attempt = await startAttempt(bench(), 1, { context, run: `phase-of-${pipelineId}` });
    let path = '';
    for (const step of steps) path = await fakeTrainer(attempt).saves(step);
    return path;
  }

  async function opened(pipelineId: string): Promise<void> {
    const resolved = {
      ...{ recipe: recipeSchema.parse(document), source: 'inline', changed: [], dataDigests: {} },
      profile: profileSchema.parse({ name: 'local', backend: 'local' }),
    };
    const run = { workflowId: pipelineId, runId: `run-of-${pipelineId}` };
    await bench().ledger.openPipeline({ ...run, recipe: 'small', identity: 'i', resolved, at: now() });
  }

  /** The phase has ended with this checkpoint, `of` another pipeline where it was reused. */
  async function promotes(
    pipelineId: string,
    step: number,
    { phase = 'sft', position = 1, of = pipelineId } = {},
  ): Promise<void> {
    await bench().ledger.upsertPhase({
      ...{ workflowId: pipelineId, runId: `run-of-${pipelineId}`, phase, position, kind: 'sft', state: 'completed' },
      ...{ identity: 'i', identityText: '{}', promoted: idOf(of, step), at: now() },
    });
  }

  const now = () => bench().dependencies.now().toISOString();
  const idOf = (pipelineId: string, step: number) => `${pipelineId}/sft/a1/checkpoint-${String(step)}`;
  const run = (night = 1) => ({ workflowId: `nightly-${String(night)}`, runId: `sweep-${String(night)}` });
  const open = async (sweep: object = nightly, night = 1, schedule: string | null = null) =>
    await bench()
      .as(runId)
      .openSweep({ ...run(night), input: { sweep: { ...sweep } }, schedule });
  const next = (night = 1) => bench().as(runId).nextOfSweep(run(night));
  const close = async (night = 1, outcome: SweepOutcome = 'completed') =>
    (
      await bench()
        .as(runId)
        .closeSweep({ ...run(night), outcome })
    ).report;
  const asked = (answer: NextOfSweep) =>
    answer.kind === 'done'
      ? []
      : answer.input.evaluations.map(({ checkpoint, seed }) => `${checkpoint} ${String(seed)}`);
  const record = async (
    checkpoint: string,
    correct: readonly number[],
    { seed = 1, of = 'elsewhere', version = 1 } = {},
  ) => {
    const one = evaluation(checkpoint).on('addition', version).seed(seed).scoring(correct).build();
    await bench().ledger.recordEvaluation({ evaluation: one, runId: of, jobName: 'job', at: now() });
  };

  /** The first job of the sweep was made, and ran so long; its directory. */
  async function firstJobRan(
    ranSeconds: number,
    { state = 'completed', night = 1 }: { readonly state?: 'completed' | 'failed'; readonly night?: number } = {},
  ): Promise<string> {
    const answer = await next(night);
    if (answer.kind === 'done') throw new Error('nothing to evaluate');
    const { context, title, evaluations } = answer.input;
    const ticket = await bench().as('child').openEvaluation({ context, title, evaluations, opened: 1 });
    if (ticket === null || 'spent' in ticket) throw new Error('not opened');
    const key = { workflowId: run(night).workflowId, phase: 'sweep', purpose: 'evaluate', number: 1 } as const;
    await bench().ledger.changeAttempt(key, { state, at: now(), evidence: { ranSeconds } as never });
    return ticket.directory;
  }

  return { trains, opened, promotes, now, idOf, run, open, next, close, asked, record, firstJobRan };
}
