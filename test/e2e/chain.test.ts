/** The whole chain on a real server with real trainers; then what of it is reused. */
import type { Leaderboard, PipelineResult, PipelineStatus, ResolvedPipeline } from '../../workflows/contract.ts';
import type { Lineage } from '../../workflows/contract-questions.ts';
import { childIds, workflowNames } from '../../workflows/contract.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import {
  phaseOf,
  startEmbedded,
  untilStep,
  type Embedded,
  type PipelineHandle,
  type Site,
} from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { answerOf, eventCount } from '../support/history.ts';
import { shortened, shortRecipe } from '../support/short-recipe.ts';

const phases = ['base', 'sft', 'drgrpo', 'orpo', 'bake', 'sao'];
const input = { recipe: 'tiny', set: shortened };

let embedded: Embedded;
let site: Site;
let first: PipelineHandle;
let result: PipelineResult;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site('chain');
  await site.startWorker();
  first = await site.start('chain', input);
  result = await first.result();
});
afterAll(() => embedded.close());

/** Every job that was ever opened for the pipeline, of all its runs. */
async function jobCount(pipelineId: string): Promise<number> {
  const attempts = await Promise.all(
    phases.flatMap((phase) =>
      (['train', 'evaluate'] as const).map((purpose) =>
        site.ledger.attemptsOf({ workflowId: pipelineId, phase, purpose }),
      ),
    ),
  );
  return attempts.flat().length;
}

describe('the tiny recipe', () => {
  it('promotes one checkpoint per phase, each completed at its first attempt', async () => {
    expect(result.promoted.map(({ phase, outcome }) => [phase, outcome.state])).toEqual(
      phases.map((phase) => [phase, 'completed']),
    );
    for (const phase of phases) {
      const attempts = await site.ledger.attemptsOf({ workflowId: 'chain', phase });
      expect(attempts.map(({ number, state }) => [phase, number, state])).toEqual([[phase, 1, 'completed']]);
    }
    const [run] = await site.ledger.pipelines({ workflowId: 'chain' });
    expect(run).toMatchObject({ outcome: 'completed', runId: first.firstExecutionRunId });
  });

  it('seals and pins each promoted checkpoint, and leads from the last one back to the base', async () => {
    const promoted = result.promoted.map(({ outcome }) => outcome.checkpoint);
    for (const [index, { id, path, digest }] of promoted.entries()) {
      const record = await site.ledger.checkpoint(id);
      expect(record).toMatchObject({ level: 'sealed', pinned: true, digest, finite: true });
      expect(record?.parent).toBe(promoted[index - 1]?.id ?? null);
      expect((await site.runs.inspect(path))?.seal?.digest).toBe(digest);
    }
  });

  it('answers the queries status, leaderboard and plan', async () => {
    const status = await first.query<PipelineStatus>('status');
    expect(status).toMatchObject({ recipe: 'tiny', profile: 'local' });
    expect(status.phases.map(({ phase, state }) => [phase, state])).toEqual(
      phases.map((phase) => [phase, 'completed']),
    );

    const { rows } = await first.query<Leaderboard>('leaderboard');
    const trained = phases.slice(1);
    expect([...new Set(rows.map(({ phase }) => phase))]).toEqual(phases);
    expect(rows.filter(({ phase }) => phase === 'sft').map(({ step }) => step)).toEqual([20, 40]);
    for (const row of rows) {
      expect(row).toMatchObject({ benchmark: 'addition', problems: 20, samples: 40 });
      expect(row.mean).toBeGreaterThanOrEqual(row.low);
      expect(row.mean).toBeLessThanOrEqual(row.high);
      expect(row.tokensPerSample).toBeGreaterThan(0);
      expect(row.seconds).toBeGreaterThan(0);
      if (row.phase !== 'base') expect(row.why).not.toBe('');
    }
    for (const phase of trained)
      expect(rows.filter((row) => row.phase === phase && row.verdict === 'promote')).toHaveLength(1);

    const plan = await first.query<ResolvedPipeline | null>('plan');
    expect(plan?.changed).toEqual(Object.keys(shortened));
  });

  it('keeps the resolved recipe in its history, and is what the plan says', async () => {
    const resolved = await answerOf(first, 'resolvePipeline');
    expect(resolved).toEqual(await first.query('plan'));
    expect(resolved).toMatchObject({
      source: 'tiny.yaml',
      recipe: { seed: 1, phases: phases.map((name) => expect.objectContaining({ name }) as unknown) },
    });
  });

  it('sets the search attributes', async () => {
    const { typedSearchAttributes } = await first.describe();
    expect(typedSearchAttributes.get(searchAttributes.state)).toBe('completed');
    expect(typedSearchAttributes.get(searchAttributes.phase)).toBe('sao');
    expect(typedSearchAttributes.get(searchAttributes.model)).toBe('tiny');
    const score = result.promoted.findLast(({ phase }) => phase === 'sao')?.outcome.score;
    expect(typedSearchAttributes.get(searchAttributes.score)).toBeCloseTo(score ?? NaN);
  });

  it('has a short history', async () => {
    const counts: Record<string, number> = { pipeline: await eventCount(first) };
    for (const phase of phases)
      counts[phase] = await eventCount(embedded.client.workflow.getHandle(childIds.phase('chain', phase)));
    console.log(`history events: ${JSON.stringify(counts)}`);
    expect(counts['pipeline']).toBeLessThan(400);
    for (const phase of phases) expect(counts[phase]).toBeLessThan(200);
  });
});

describe('the same input again', () => {
  it('reuses every phase, says from which run, and starts no job', async () => {
    const before = await jobCount('chain');
    const again = await site.start('chain', input);
    const { promoted } = await again.result();
    expect(promoted.map(({ phase, outcome }) => [phase, outcome.state])).toEqual(
      phases.map((phase) => [phase, 'reused']),
    );
    expect(promoted.map(({ outcome }) => outcome.checkpoint)).toEqual(
      result.promoted.map(({ outcome }) => outcome.checkpoint),
    );
    for (const { phase, outcome } of promoted) expect(outcome.because).toContain(`chain (phase ${phase},`);
    expect(await jobCount('chain')).toBe(before);
    const rows = async (handle: PipelineHandle) => (await handle.query<Leaderboard>('leaderboard')).rows;
    expect(await rows(again)).toEqual(await rows(first));
  });
});

describe('a pipeline that starts from what another promoted', () => {
  it('trains from its weights, is compared with it, and leads back through both to the base', async () => {
    const steps = { 'phases.sft.params.steps': 10, 'phases.sft.params.checkpointEvery': 5 };
    const { phases: all, ...recipe } = await shortRecipe(['sft'], { ...steps, 'phases.sft.evaluate.every': undefined });
    const [sft] = all as readonly Record<string, unknown>[];
    const branch = { ...recipe, name: 'branch', phases: [{ ...sft, name: 'more', from: { checkpoint: 'chain/sft' } }] };
    const more = await site.start('branch', { recipe: branch });
    const { promoted } = await more.result();
    expect(promoted.map(({ phase, outcome }) => [phase, outcome.state])).toEqual([['more', 'completed']]);
    const end = promoted[0]?.outcome.checkpoint.id ?? '';
    const ofChain = result.promoted.slice(0, 2).map(({ outcome }) => outcome.checkpoint.id);
    expect((await site.ledger.checkpoint(end))?.parent).toBe(ofChain[1]);
    const lineage = (await embedded.client.workflow.execute(workflowNames.question, {
      workflowId: 'ask-lineage',
      taskQueue: 'chain',
      args: [{ question: 'lineage', of: 'branch/more' }],
    })) as Lineage;
    expect(lineage.steps.map(({ checkpoint, known }) => [checkpoint, known?.lies])).toEqual(
      [end, ...ofChain.toReversed()].map((id) => [id, 'sealed']),
    );
    const again = await site.start('branch-again', { recipe: branch });
    expect((await again.result()).promoted.map(({ outcome }) => outcome.state)).toEqual(['reused']);
  });
});

describe('the same input with one field of drgrpo changed', () => {
  it('reuses base and sft, and trains drgrpo anew', async () => {
    const changed = await site.start('changed', {
      ...input,
      set: { ...shortened, 'phases.drgrpo.params.learningRate': 2e-3 },
    });
    await eventually('drgrpo runs', 60, async () => (await phaseOf(changed, 'drgrpo'))?.state === 'running');
    expect(await phaseOf(changed, 'base')).toMatchObject({ state: 'reused' });
    expect(await phaseOf(changed, 'sft')).toMatchObject({ state: 'reused' });
    await untilStep(site, site.attempt('changed', 'drgrpo'), 1);
    expect(await jobCount('changed')).toBe(1);
    await changed.cancel();
    await expect(changed.result()).rejects.toThrow();
  });
});
