/** A sweep on a real ledger and a real store: what it looks at, what comes next, what it reports. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { answerActivities } from '../../activities/answers.ts';
import { recipeSchema } from '../../configs/schema.ts';
import { linesOfSweep, sentenceOfSweep } from '../../decisions/sweep-sentences.ts';
import type { ScheduleCounters } from '../../decisions/sweep.ts';
import { activityBench, type ActivityBench, contextOf, runId, startAttempt } from '../support/activity-bench.ts';
import { peftFiles, write } from '../store/checkpoint-fixtures.ts';
import { level } from '../support/gate-builders.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { addition } from '../support/recipes.ts';
import { document, nightly, sweepsOn } from '../support/sweeps-on.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const { trains, promotes, open, next, close, asked, record, firstJobRan, now, run, idOf } = sweepsOn(() => bench);

describe('what it looks at', () => {
  test('the newest checkpoint of what trains, the champion of each pipeline, and what is named; each once', async () => {
    await trains('alpha', 20, 30);
    await trains('beta', 10, 40);
    await promotes('beta', 40);
    expect(await open({ ...nightly, checkpoints: { named: ['gone/sft/a1/checkpoint-1'] } })).toMatchObject({
      ...{ name: 'nightly', profile: 'local', notifies: false, checkpoints: 2 },
    });
    expect(asked(await next())).toEqual([`${idOf('alpha', 30)} 1`]);
    expect((await close()).skipped).toMatchObject([{ what: 'gone/sft/a1/checkpoint-1', because: { rule: 'unknown' } }]);
  });

  test('none of what a person had begin anew: what it trained before is what nobody wants', async () => {
    await trains('alpha', 20);
    await open(nightly, 9); // and its checkpoint is in the ledger
    await bench.as(runId).recordSteering({
      ...{ pipelineId: 'alpha', runId: 'run-of-alpha', phase: 'sft', id: 'update-1', by: {} },
      request: { message: 'retryPhase', set: {} },
    });
    await startAttempt(bench, 2, {
      context: contextOf({ pipelineId: 'alpha', runId: 'run-of-alpha', start: null }),
      run: 'phase-of-alpha-anew',
    });
    expect(await open()).toMatchObject({ checkpoints: 0 });
  });

  test('of two phases that ended the later one is the champion', async () => {
    await trains('alpha', 20, 30);
    await promotes('alpha', 20);
    bench.pass(60);
    await promotes('alpha', 30, { phase: 'drgrpo', position: 2 });
    const champions = await bench.ledger.lastFinishedPhases(10);
    expect(champions).toMatchObject([{ workflowId: 'alpha', phase: 'drgrpo', promoted: idOf('alpha', 30) }]);
  });

  test('its page says whose a checkpoint is, also that of another pipeline whose phase was reused', async () => {
    await trains('alpha', 20);
    await open({ ...nightly, name: 'other' }, 9); // and its checkpoint is in the ledger
    await record(idOf('alpha', 20), level(2));
    await promotes('alpha', 20);
    for (const pipeline of ['beta', 'gamma', 'delta']) await promotes(pipeline, 20, { of: 'alpha' });
    await open({ ...nightly, checkpoints: { running: false } });
    const answer = await next();
    expect(answer.kind === 'done' ? [] : answer.rows.map(({ whose }) => whose)).toEqual([
      'champion, champion of beta, champion of delta, 1 more',
    ]);
  });

  test('stays as it was at the start, also for an activity that is tried again', async () => {
    await trains('alpha', 20);
    await open();
    await trains('beta', 10);
    expect(await open()).toMatchObject({ checkpoints: 1 });
  });

  test('a benchmark that a recipe lacks is skipped with the reason; a misspelt sweep is refused', async () => {
    await trains('alpha', 20);
    await open({ ...nightly, benchmarks: ['addition', 'other'] });
    expect((await close()).skipped).toMatchObject([
      { because: { rule: 'no-benchmark', benchmark: 'other', recipe: 'small' } },
    ]);
    await expect(open({ ...nightly, seedz: 2 }, 2)).rejects.toMatchObject({
      ...{
        type: 'invalid-input',
        nonRetryable: true,
        message: expect.stringMatching(/seedz.*did you mean "seeds"/) as string,
      },
    });
    await expect(open({ ...nightly, checkpoints: { running: false, champions: false } }, 3)).rejects.toMatchObject({
      message: expect.stringMatching(/names no checkpoint at all/) as string,
    });
  });
});

describe('what comes next', () => {
  test('one job of the sweep’s own, with the recipe’s benchmark, once somebody knows how long it takes', async () => {
    await trains('alpha', 20);
    await trains('beta', 40);
    await open();
    const first = await next();
    expect(asked(first)).toEqual([`${idOf('alpha', 20)} 1`]);
    expect(first).toMatchObject({
      round: 1,
      input: {
        title: '1 evaluation on addition, never evaluated first',
        context: { pipelineId: 'nightly-1', runId: 'sweep-1', phase: { name: 'sweep' }, budgets: { gpuHours: 1 } },
      },
    });
    await record(idOf('alpha', 20), level(2), { of: 'sweep-1' });
    expect(asked(await next())).toEqual([`${idOf('beta', 40)} 1`, `${idOf('alpha', 20)} 2`]);
  });

  test('nothing once every seed is there, and the report counts what this sweep made', async () => {
    await trains('alpha', 20);
    await open();
    for (const seed of [1, 2]) await record(idOf('alpha', 20), level(2), { seed, of: 'sweep-1' });
    expect(await next()).toEqual({ kind: 'done' });
    expect(await close()).toMatchObject({
      outcome: 'completed',
      evaluated: 2,
      skipped: [],
      rows: [{ seeds: 2, mean: 0.5 }],
    });
  });

  test('hours that jobs ran are spent, and what is left over is told', async () => {
    await trains('alpha', 20);
    await open();
    await firstJobRan(4000, { state: 'failed' });
    expect(await next()).toEqual({ kind: 'done' });
    expect((await close()).skipped).toMatchObject([{ because: { rule: 'budget', hours: 1 } }]);
  });

  test('an hour of a job counts as often as it has GPUs, and the report says both', async () => {
    const { placeOf } = bench.dependencies;
    const image = 'registry.example/trainers:1';
    const profile = kubernetesProfile({ jobs: { default: { image }, evaluate: { gpus: 8 } } });
    bench.dependencies.placeOf = (name) => ({ ...placeOf(name), profile });
    for (const pipeline of ['alpha', 'beta']) await trains(pipeline, 20);
    await open({ ...nightly, gpuHours: 7, seeds: 1 });
    await firstJobRan(1800);
    await record(idOf('alpha', 20), level(2), { of: 'sweep-1' });
    // Half an hour of eight GPUs took four of the seven: another does not fit.
    expect(await next()).toEqual({ kind: 'done' });
    const report = await close();
    expect(report).toMatchObject({ hours: 0.5, gpuHours: 4 });
    expect(linesOfSweep(report)).toEqual([
      `${idOf('beta', 20)} on addition, seed 1: no budget, 4.00 of 7 GPU-hours are spent by jobs of 8 GPUs`,
    ]);
    expect(sentenceOfSweep(report)).toMatch(/^1 evaluation in 0\.50 h of jobs, 4\.00 GPU-hours, /);
  });

  test('an evaluation is taken to cost what those of this sweep did, loading and all', async () => {
    for (const pipeline of ['alpha', 'beta', 'gamma']) await trains(pipeline, 20);
    await open();
    await firstJobRan(1200);
    await record(idOf('alpha', 20), level(2), { of: 'sweep-1' });
    // An hour, of which a third is spent: two more fit, and no third.
    expect(asked(await next())).toEqual([`${idOf('beta', 20)} 1`, `${idOf('gamma', 20)} 1`]);
  });

  test('a checkpoint that was deleted meanwhile is skipped, the others are evaluated', async () => {
    const path = await trains('alpha', 20);
    await trains('beta', 40);
    await open();
    await rm(dirname(path), { recursive: true });
    expect(asked(await next())).toEqual([`${idOf('beta', 40)} 1`]);
    expect((await close()).skipped).toEqual([
      { what: idOf('alpha', 20), because: { rule: 'deleted', path, pruned: null } },
    ]);
  });

  test('one that was pruned once its job was chosen is skipped, and the others of that job are evaluated', async () => {
    const path = await trains('alpha', 5);
    await trains('beta', 40);
    await record(idOf('beta', 40), level(2), { seed: 9 }); // by which a job is known to be short
    await open({ ...nightly, seeds: 1 });
    const chosen = await next();
    expect(asked(chosen)).toEqual([`${idOf('alpha', 5)} 1`, `${idOf('beta', 40)} 1`]);
    for (const step of [25, 30]) await write(join(dirname(path), `checkpoint-${String(step)}`), peftFiles(step));
    await answerActivities(bench.dependencies).answerQuestion({ question: 'prune', pipeline: 'alpha', delete: true });
    const { evaluations } = chosen.kind === 'done' ? { evaluations: [] } : chosen.input;
    await bench.as(runId).recordSweepFailure({ ...run(1), round: 1, evaluations, because: 'no such folder' });
    expect(asked(await next())).toEqual([`${idOf('beta', 40)} 1`]);
    // By which rule, and when: the clock of the deletion is the machine's.
    expect(linesOfSweep(await close())).toEqual([
      expect.stringMatching(
        /^alpha\/sft\/a1\/checkpoint-5: was pruned at \S+ \d\d:\d\d UTC \(there are newer ones to go on from\): its files are gone$/,
      ),
    ]);
  });

  test('what is meant by a benchmark stays as it was at the start', async () => {
    await trains('alpha', 20);
    let version = 1;
    const other = () =>
      recipeSchema.parse({ ...document, name: 'other', benchmarks: { addition: { ...addition, version } } });
    bench.dependencies.readRecipe = () =>
      Promise.resolve({ value: other(), source: 'other' } as Awaited<ReturnType<typeof bench.dependencies.readRecipe>>);
    await open({ ...nightly, recipe: 'other' });
    version = 2;
    const answer = await next();
    if (answer.kind === 'done') throw new Error('nothing to evaluate');
    const { context, title, evaluations } = answer.input;
    expect([context.recipe, context.benchmarks['addition']?.version, evaluations]).toMatchObject([
      'other',
      1,
      [{ version: 1 }],
    ]);
    const raised = {
      ...context,
      benchmarks: { addition: { ...context.benchmarks['addition'], version } },
    } as typeof context;
    await expect(bench.as('child').openEvaluation({ context: raised, title, evaluations, opened: 1 })).rejects.toThrow(
      /is wanted on addition@1, and the recipe has version 2/,
    );
  });

  test('what failed is tried alone, then left out with the words of its failure', async () => {
    await trains('alpha', 20);
    await record(idOf('alpha', 20), level(2));
    await trains('beta', 40);
    await open();
    const first = await next();
    if (first.kind === 'done') throw new Error('nothing to evaluate');
    expect(first.input.evaluations).toHaveLength(2);
    const failed = { evaluations: first.input.evaluations, because: 'gpu-oom: no memory' };
    await bench.as(runId).recordSweepFailure({ ...run(), round: first.round, ...failed });
    const alone = await next();
    if (alone.kind === 'done') throw new Error('nothing to evaluate');
    expect(asked(alone)).toEqual([`${idOf('beta', 40)} 1`]);
    const again = { evaluations: alone.input.evaluations, because: 'gpu-oom: no memory' };
    await bench.as(runId).recordSweepFailure({ ...run(), round: alone.round, ...again });
    expect(asked(await next())).toEqual([`${idOf('alpha', 20)} 2`]);
    expect((await close()).skipped).toContainEqual({
      what: `${idOf('beta', 40)} on addition, seed 1`,
      because: { rule: 'failed', why: 'gpu-oom: no memory' },
    });
  });
});

describe('what it reports', () => {
  /** A night on which the champion of alpha is of this step. */
  async function night(number: number, step: number, schedule: string | null = null): Promise<void> {
    bench.pass(86_400);
    await promotes('alpha', step);
    await open({ ...nightly, checkpoints: { running: false } }, number, schedule);
  }

  test('a champion that is worse than the one of last night; a night that was cancelled in between is none', async () => {
    await trains('alpha', 20);
    await open({ ...nightly, name: 'other' }, 9); // and its checkpoint is in the ledger
    const last = await bench.ledger.checkpoint(idOf('alpha', 20));
    if (last === null) throw new Error('not in the ledger');
    await bench.ledger.recordCheckpoint({ ...last, id: idOf('alpha', 30), step: 30, at: now() });
    await night(1, 20);
    expect(await close(1)).toMatchObject({ comparedWith: null, regressions: [] });
    await night(2, 20);
    await close(2, 'cancelled');
    await record(idOf('alpha', 20), level(3));
    await record(idOf('alpha', 30), level(2));
    await night(3, 30);
    expect(await close(3)).toMatchObject({
      regressions: [{ subject: { kind: 'champion', pipeline: 'alpha' }, before: { mean: 0.75 }, now: { mean: 0.5 } }],
    });
  });

  test('nights that the schedule skipped once, and its times that a clock change skips', async () => {
    const createdAt = now();
    let skipped: ScheduleCounters = { overlap: 0, missed: 3, createdAt };
    const times = [{ minutes: [150], days: [], timeZone: 'America/New_York' }];
    bench.dependencies.scheduleFacts = () => Promise.resolve({ skipped, times, intervals: [] });
    await trains('alpha', 20);
    await night(1, 20, 'nightly');
    expect(await close(1)).toMatchObject({
      nights: { overlap: 0, missed: 3 },
      clock: [expect.stringMatching(/^02:30 in America\/New_York does not exist on 2027-03-14/) as string],
    });
    await night(2, 20);
    expect(await close(2)).toMatchObject({ nights: { overlap: 0, missed: 0 }, clock: [] });
    skipped = { overlap: 1, missed: 3, createdAt };
    await night(3, 20, 'nightly');
    await close(3, 'cancelled');
    await night(4, 20, 'nightly'); // and was killed
    await night(5, 20, 'nightly');
    expect(await close(5)).toMatchObject({ nights: { overlap: 1, missed: 0 } });
    await night(6, 20, 'nightly');
    expect(await close(6)).toMatchObject({ nights: { overlap: 0, missed: 0 } });
  });

  test('nights that passed while it waited for a worker, as that and not as a sweep before that still ran', async () => {
    const times = [{ minutes: [120], days: [], timeZone: 'UTC' }];
    const skipped = { overlap: 3, missed: 0, createdAt: now() };
    bench.dependencies.scheduleFacts = () => Promise.resolve({ skipped, times, intervals: [] });
    const waited = { from: '2026-11-26T02:00:00.120Z', until: '2026-11-29T09:12:30.000Z' };
    await bench.as(runId).openSweep({ ...run(1), input: { sweep: nightly }, schedule: 'nightly', waited });
    expect(linesOfSweep(await close())).toEqual([expect.stringMatching(/^Since .*no worker took it until 2026-11-29/)]);
  });

  test('a sweep ends by the ledger alone, also where the store is away or the profile is gone', async () => {
    await trains('alpha', 20);
    await open();
    bench.dependencies.placeOf = () => {
      throw new Error('no such profile');
    };
    expect(await close(1, 'cancelled')).toMatchObject({ outcome: 'cancelled', skipped: [] });
    expect(await bench.ledger.sweep('sweep-1')).toMatchObject({ report: { outcome: 'cancelled' } });
  });

  test('the first end stays', async () => {
    await open();
    await close(1, 'cancelled');
    expect(await close(1, 'completed')).toMatchObject({ outcome: 'cancelled' });
    expect(await next()).toEqual({ kind: 'done' });
  });
});
