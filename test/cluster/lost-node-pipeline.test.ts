/**
 * A pipeline whose node is lost in the middle of a training: the next attempt goes on when there is a node again, while the trainer of the
 * first one is at work still and writes what it has.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';
import { testWhere } from '../support/test-where.ts';
import type { SlotPlaces } from './machine/places.ts';
import { nodeName } from './node/components.ts';
import { killDaemon, startDaemon } from './node/daemons.ts';
import { makePipelineBed, type PipelineBed } from './pipeline-bed.ts';
import { processesOfJob, signalAll } from './pod-processes.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose processes are not ours' : null);
const places = cluster.own as SlotPlaces;
let bed: PipelineBed;

beforeAll(async () => {
  bed = await makePipelineBed(cluster, 'lost-pipeline');
});
afterAll(async () => {
  if (cluster.own !== null) await startDaemon(places, 'kubelet');
  await bed.close();
});

onOwnCluster(
  'the next attempt goes on from what was saved, and what the lost trainer writes later spoils nothing',
  async () => {
    const { onCluster, onMachine } = bed;
    const recipe = await shortRecipe(['base', 'sft'], careless);
    const pipeline = await onCluster.start('lost', { recipe });
    const expected = await onMachine.start('undisturbed', { recipe });
    const attempts = () => onCluster.ledger.attemptsOf({ workflowId: 'lost', phase: 'sft' });
    await bed.saved(bed.attempt('lost', 'sft', 1));
    const [first] = await attempts();
    // A trainer that hangs with its node, and wakes up late.
    const trainer = processesOfJob(first?.jobUid ?? '');
    expect(trainer).not.toEqual([]);
    signalAll(trainer, 'SIGSTOP');
    await killDaemon(places, 'kubelet');
    await eventually('attempt 2 is asked for', 180, async () => ((await attempts())[1]?.jobUid ?? null) !== null);
    await startDaemon(places, 'kubelet');
    await eventually('attempt 2 runs', 120, async () => (await attempts())[1]?.state === 'running');
    signalAll(trainer, 'SIGCONT');
    await eventually('attempt 1 has written its last', 60, () => processesOfJob(first?.jobUid ?? '').length === 0);
    const [ended] = await Promise.all([pipeline.result(), expected.result()]);

    expect(ended.promoted.map(({ outcome }) => outcome.state)).toEqual(['completed', 'completed']);
    expect((await attempts()).map(({ number, state }) => [number, state])).toEqual([
      [1, 'failed'],
      [2, 'completed'],
    ]);
    const incidents = await onCluster.ledger.incidentsOf({ runId: pipeline.firstExecutionRunId, phase: 'sft' });
    expect(incidents).toMatchObject([{ class: 'node-lost', node: nodeName }]);
    const json = async (number: number, name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(bed.attempt('lost', 'sft', number), name), 'utf8'));
    expect(await json(1, 'job-end.json')).toMatchObject({
      end: { stopRequested: 'node-lost', ranks: [{ reason: 'NodeUnreachable' }] },
    });
    expect(await json(1, 'result.json')).toMatchObject({ status: 'stopped', attempt: 1 });
    const weights = join('checkpoints', 'checkpoint-40', 'adapter_model.safetensors');
    const [again, undisturbed] = await Promise.all([
      readFile(join(bed.attempt('lost', 'sft', 2), weights)),
      readFile(join(onMachine.attempt('undisturbed', 'sft'), weights)),
    ]);
    expect(again.equals(undisturbed)).toBe(true);
  },
  900_000,
);
