/** What a real Temporal server says of runs that wrote no end, by the run ids that the ledger has. */
import { workflowNames } from '../../workflows/contract.ts';
import { runState } from '../../workers/run-state.ts';
import { ownerStates } from '../../workers/workflow-owners.ts';
import { eventually } from '../support/eventually.ts';
import { recipeOf } from '../support/recipes.ts';
import { resetRun } from '../support/reset-run.ts';
import { runsOn, type Story } from '../support/stories.ts';
import { sweepStory } from '../support/sweep-stories.ts';
import { benchOfFile, failureOf, type Run, taskQueue } from '../support/workflow-bench.ts';

const bench = benchOfFile();
const startSweep = (workflowId: string, more: object = {}) =>
  bench.client.workflow.start(workflowNames.sweep, { workflowId, taskQueue, args: [{ sweep: 'nightly' }], ...more });
const stateOf = (workflowId: string, runId: string) => runState(bench.client, { workflowId, runId });

/** A sweep whose job runs until it is stopped. */
async function atWork(workflowId: string): Promise<{ story: Story; runId: string; run: Run }> {
  const story = bench.tell(workflowId, recipeOf(), { ...sweepStory(2), awaitJob: () => runsOn() });
  const run = await startSweep(workflowId);
  await story.called('awaitJob');
  return { story, run: run as Run, runId: run.firstExecutionRunId };
}

test('a sweep that is terminated: its job is stopped as that of a phase, and its end is told with who and why', async () => {
  const { story, run, runId } = await atWork('nightly-1');
  expect(await stateOf('nightly-1', runId)).toEqual({ kind: 'open' });
  await run.terminate('the cluster moves');
  await story.called('stopJob');
  expect(story.inputsOf('stopJob').map(({ reason }) => reason)).toEqual(['cancel']);
  const ended = await stateOf('nightly-1', runId);
  expect(ended).toMatchObject({ kind: 'closed', status: 'terminated', by: 'person', reason: 'the cluster moves' });

  // The same id anew is another sweep.
  const child = bench.client.workflow.getHandle('nightly-1/sweep/evaluation-1');
  await eventually('its evaluation has ended', 60, async () => (await child.describe()).status.name !== 'RUNNING');
  const again = await startSweep('nightly-1');
  expect(await stateOf('nightly-1', again.firstExecutionRunId)).toEqual({ kind: 'open' });
  expect(await stateOf('nightly-1', runId)).toEqual(ended);
  await again.terminate();
});

test('one that is paused is open: nobody takes it for forgotten, and its job stays', async () => {
  const { run, runId } = await atWork('paused');
  const { namespace } = bench.client.options;
  await bench.client.workflowService.pauseWorkflowExecution({
    namespace,
    workflowId: 'paused',
    runId,
    requestId: 'one',
  });
  const isListed = async () => {
    for await (const { status } of bench.client.workflow.list({ query: `RunId = '${runId}'` }))
      if (status.name === 'PAUSED') return true;
    return false;
  };
  await eventually('it is listed as paused', 60, isListed);
  expect(await stateOf('paused', runId)).toEqual({ kind: 'open' });
  expect(await ownerStates(bench.client, [runId])).toEqual(new Map([[runId, { kind: 'open' }]]));
  await run.terminate();
});

test('one that is out of its time is closed, and nobody did it', async () => {
  const more = { taskQueue: 'nobody', workflowExecutionTimeout: '1 second' };
  const { firstExecutionRunId: runId } = await startSweep('late', more);
  const ended = await eventually('its time is over', 60, async () => {
    const state = await stateOf('late', runId);
    return state.kind === 'closed' && state;
  });
  expect(ended).toMatchObject({ status: 'timed-out', by: null, reason: null });
});

test('one that was reset is the run in its place; of one that the server never knew nothing is said', async () => {
  const { run, runId } = await atWork('reset');
  const inItsPlace = await resetRun(run, 'first');
  expect(await stateOf('reset', runId)).toEqual({ kind: 'open' });
  await inItsPlace.terminate('enough');
  expect(await stateOf('reset', runId)).toMatchObject({ kind: 'closed', reason: 'enough' });
  expect(await stateOf('never', runId)).toEqual({ kind: 'unknown' });
  expect(await stateOf('reset', '00000000-0000-4000-8000-000000000000')).toEqual({ kind: 'unknown' });
  await failureOf(run);
});
