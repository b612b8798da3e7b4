/** Nodes that failed, remembered by the ledger: other pipelines keep away from them, a person lists and forgets them. */
import { answerActivities } from '../../activities/answers.ts';
import type { NodesQuestion } from '../../workflows/contract-questions.ts';
import { activityBench, type ActivityBench, contextOf, runId, startAttempt } from '../support/activity-bench.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
  bench.backend.cluster = 'east';
});
afterEach(() => bench.close());

const xid = { exitCode: 1, lastLines: ['NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.'] };
const other = contextOf({ pipelineId: 'other', runId: 'run-9' });
const nodes = (more: Partial<NodesQuestion> = {}) => bench.ask({ question: 'nodes', ...more });
const avoided = () => bench.backend.submitted.map(({ avoidNodes }) => avoidNodes);

/** A GPU of `gpu-7` breaks under the pipeline `demo`. */
async function broken(node = 'gpu-7'): Promise<void> {
  const attempt = await startAttempt(bench);
  bench.backend.end(attempt.job, { ...xid, node });
  await bench.as(runId).judgeAttempt(attempt);
}

test('the attempts of another pipeline keep away from it, and say why', async () => {
  await broken();
  const { ticket } = await startAttempt(bench, 1, { context: other, run: 'other-run' });
  expect(avoided()).toEqual([[], ['gpu-7']]);
  expect(ticket.sentence).toContain(
    'Keeps away from gpu-7 (Xid 79 (GPU has fallen off the bus) at 2026-11-29 10:00 UTC) where it can.',
  );
});

test('until a day has passed', async () => {
  await broken();
  bench.pass(24 * 3600 - 1);
  await startAttempt(bench, 1, { context: other, run: 'other-run' });
  bench.pass(1);
  await startAttempt(bench, 2, { context: other, run: 'other-run' });
  expect(avoided()).toEqual([[], ['gpu-7'], []]);
});

test('a node of the same name in another cluster is another node', async () => {
  await broken();
  bench.backend.cluster = 'west';
  await startAttempt(bench, 1, { context: other, run: 'other-run' });
  expect(avoided()).toEqual([[], []]);
  expect((await nodes()).suspects).toEqual([]);
});

test('it is listed, and forgotten by whoever mended it', async () => {
  await broken();
  expect(await nodes()).toMatchObject({
    cluster: 'east',
    suspects: [{ node: 'gpu-7', times: 1, until: '2026-11-30T10:00:00.000Z', attempt: 'demo/sft a1' }],
    forgotten: [],
  });
  bench.pass(60);
  expect(await nodes({ forget: { node: 'gpu-7', by: 'ada' } })).toMatchObject({
    suspects: [],
    forgotten: [{ node: 'gpu-7', by: 'ada', at: '2026-11-29T10:01:00.000Z' }],
  });
  await startAttempt(bench, 1, { context: other, run: 'other-run' });
  expect(avoided()).toEqual([[], []]);
});

test('one that nobody keeps away from is not forgotten, and the nearest name is told', async () => {
  await broken();
  await expect(nodes({ forget: { node: 'gpu-77', by: 'ada' } })).rejects.toMatchObject({
    code: 'not-found',
    message: 'no job keeps away from a node "gpu-77"; did you mean "gpu-7"? there are: gpu-7',
  });
});

test('where jobs are processes of one machine, nothing is kept away from', async () => {
  delete bench.backend.cluster;
  await broken();
  expect(await nodes()).toEqual({ answer: 'nodes', cluster: null, suspects: [], forgotten: [] });
  await expect(nodes({ forget: { node: 'gpu-7', by: 'ada' } })).rejects.toMatchObject({ code: 'not-found' });
});

test('without a backend at hand nobody knows which cluster is meant', async () => {
  const { backend: _backend, ...place } = bench.dependencies.placeOf(undefined);
  const reading = { ...bench.dependencies, placeOf: () => place };
  await expect(answerActivities(reading).answerQuestion({ question: 'nodes' })).rejects.toMatchObject({
    code: 'environment-unusable',
  });
});
