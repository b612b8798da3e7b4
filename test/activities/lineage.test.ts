/** What a checkpoint was made from, told from a real ledger and store: over attempts, pipelines, and what is gone. */
import { rm } from 'node:fs/promises';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { lineageText } from '../../workers/terminal/lineage-text.ts';
import { activityBench, type ActivityBench, contextOf } from '../support/activity-bench.ts';
import { because, promotedPipeline, type PromotedPipeline } from '../support/promoted-pipeline.ts';

let bench: ActivityBench;
let made: PromotedPipeline;
beforeEach(async () => {
  bench = await activityBench();
  made = await promotedPipeline(bench);
});
afterEach(() => bench.close());

const lineage = (of = 'demo/sft') => bench.ask({ question: 'lineage', of });
const fate = async (of?: string) =>
  (await lineage(of)).steps.map(({ checkpoint, known }) => [checkpoint, known?.lies ?? null]);

test('from the checkpoint back to its base: steps of each attempt, fields, data and the verdict', async () => {
  const { steps, omitted } = await lineage();
  expect(omitted).toBe(0);
  expect(steps.map(({ checkpoint }) => checkpoint)).toEqual([made.sft.id, made.base.id]);
  const [sft] = steps;
  expect(sft?.known).toMatchObject({
    pipeline: 'demo',
    recipe: 'small',
    kind: 'sft',
    lies: 'sealed',
    digest: made.sft.digest,
    parts: [
      { attempt: 1, from: 0, to: 20 },
      { attempt: 2, from: 20, to: 50 },
    ],
    data: [{ what: 'tiny solutions', digest: null }],
    verdict: because,
    reusedBy: null,
  });
  expect(sft?.known?.fields).toContainEqual({ field: 'params.learningRate', value: 1e-3 });
  expect(sft?.known?.fields).toContainEqual({ field: 'data.longShare', value: 1 });
  const text = lineageText(await lineage());
  expect(text).toMatch(
    /^demo\/sft\/a2\/checkpoint-50 \(peft, sealed\)\n {2}sft of demo \(recipe small\): steps 0–20 in attempt 1, 20–50 in attempt 2\n/,
  );
  expect(text).toMatch(/\n {2}recipe: .*learningRate 0\.001/);
  expect(text).toContain(`  verdict: ${because}`);
  expect(text).toMatch(/\n\nfrom demo\/base\/a1\/checkpoint-160 \(hf, sealed\)\n/);
});

test('across pipelines, with who reused what', async () => {
  const resolved = { recipe: { name: 'again' } } as unknown as ResolvedPipeline;
  await bench.as('other').openPipeline({ pipelineId: 'again', runId: 'run-2', resolved });
  const context = contextOf({ pipelineId: 'again', runId: 'run-2', start: made.base });
  expect(await bench.as('other').findFinishedPhase(context)).not.toBeNull();
  const record = await bench.ledger.checkpoint(made.sft.id);
  if (record === null) throw new Error('no sft');
  const child = { id: 'again/orpo/a1/checkpoint-4', workflowId: 'again', runId: 'run-2', phase: 'orpo', attempt: 1 };
  await bench.ledger.recordCheckpoint({ ...record, ...child, parent: made.sft.id, path: '/child', at: 'now' });
  const { steps } = await lineage(child.id);
  expect(steps.map(({ checkpoint, known }) => [checkpoint, known?.reusedBy ?? null])).toEqual([
    [child.id, null],
    [made.sft.id, { pipeline: 'again', phase: 'sft' }],
    [made.base.id, null],
  ]);
  expect(lineageText(await lineage('again/sft'))).toContain('reused by again as its phase sft');
  expect(await fate(child.id)).toContainEqual([child.id, 'elsewhere']);
});

test('one that a cancelled run made and the run after it promoted says what was said then', async () => {
  const [base, sft] = await bench.ledger.phasesOf('run-1');
  if (base === undefined || sft === undefined) throw new Error('no sft');
  const at = '2026-11-29T12:00:00.000Z';
  await bench.ledger.upsertPhase({ ...sft, runId: 'run-2', at });
  await bench.ledger.upsertPhase({ ...sft, state: 'cancelled', promoted: null, because: { sentence: '' }, at });
  expect((await lineage(made.sft.id)).steps[0]?.known?.verdict).toBe(because);
  const [before] = (await bench.ledger.checkpointsOf({ runId: 'run-1', phase: 'sft' })).map(({ id }) => id);
  expect((await lineage(before)).steps[0]?.known?.verdict).toBe(`Not promoted: its phase went on with ${made.sft.id}.`);
});

test('one that was not promoted says what its phase went on with', async () => {
  const { steps } = await lineage('demo/sft/a1/checkpoint-20');
  expect(steps[0]?.known?.verdict).toBe(`Not promoted: its phase went on with ${made.sft.id}.`);
});

test('what was pruned, is gone or was changed is said, and the rest is told', async () => {
  const { path } = made.base;
  await rm(path, { recursive: true });
  expect(await fate()).toEqual([
    [made.sft.id, 'sealed'],
    [made.base.id, 'gone'],
  ]);
  expect(lineageText(await lineage())).toContain(`its files are gone (${path}), and no pruning took them`);
  const decision = {
    key: 'k',
    runId: 'run-1',
    phase: 'base',
    attempt: null,
    question: 'prune',
    answer: [],
    evidence: null,
    at: 'now',
  };
  await bench.ledger.giveUpCheckpoints([made.base.id], () => decision, '2026-11-29T12:30:00.000Z');
  expect(lineageText(await lineage())).toContain('it was pruned at 2026-11-29 12:30 UTC: its files are gone');
  await rm(`${made.sft.path}/adapter_model.safetensors`);
  expect((await fate())[0]).toEqual([made.sft.id, 'damaged']);
});

test('a parent that is not in this ledger is said', async () => {
  const record = await bench.ledger.checkpoint(made.sft.id);
  if (record === null) throw new Error('no sft');
  await bench.ledger.recordCheckpoint({
    ...record,
    id: 'orphan',
    parent: 'lost/base/a1/checkpoint-1',
    path: '/orphan',
    at: 'now',
  });
  const told = await lineage('orphan');
  expect(told.steps.at(-1)).toEqual({ checkpoint: 'lost/base/a1/checkpoint-1', known: null });
  expect(lineageText(told)).toMatch(/from lost\/base\/a1\/checkpoint-1\n {2}not in this ledger/);
});

test('a ledger whose parents lead round in a circle is refused, not followed', async () => {
  const record = await bench.ledger.checkpoint(made.sft.id);
  if (record === null) throw new Error('no sft');
  for (const [id, parent] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const)
    await bench.ledger.recordCheckpoint({ ...record, id, parent, path: `/${id}`, at: 'now' });
  await expect(lineage('one')).rejects.toThrow('the parents of one lead round to one: the ledger was changed by hand');
});
