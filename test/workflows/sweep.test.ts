/** A sweep on a real Temporal server: job after job, and what its page says at the end. */
import type { Client } from '@temporalio/client';
import type { Answers, Story } from '../support/stories.ts';
import { runState } from '../../workers/run-state.ts';
import { workflowNames } from '../../workflows/contract.ts';
import { recipeOf } from '../support/recipes.ts';
import { runsOn } from '../support/stories.ts';
import { checkpoint, job, report, sweepStory, worse } from '../support/sweep-stories.ts';
import { failureOf, pageOf, taskQueue, benchOfFile } from '../support/workflow-bench.ts';

const bench = benchOfFile();

const start = (client: Client, workflowId: string, input: unknown = { sweep: 'nightly' }) =>
  client.workflow.start(workflowNames.sweep, { workflowId, taskQueue, args: [input] });

async function told(workflowId: string, answers: Answers, input?: unknown) {
  const story = bench.tell(workflowId, recipeOf(), answers);
  return { story, run: await start(bench.client, workflowId, input) };
}
const failures = (story: Story) =>
  story.inputsOf('recordSweepFailure').map(({ round, evaluations, because }) => [round, evaluations.length, because]);

test('makes job after job until nothing is due, and its page has the table and what it did', async () => {
  const { story, run } = await told('straight', sweepStory(2));
  expect(await run.result()).toEqual(report);
  expect(story.inputsOf('openSweep')).toMatchObject([
    { workflowId: 'straight', input: { sweep: 'nightly' }, schedule: null },
  ]);
  const { from = '', until = '' } = story.inputsOf('openSweep')[0]?.waited ?? {};
  expect([Date.parse(from) > 0, Date.parse(until) >= Date.parse(from)]).toEqual([true, true]);
  expect(story.inputsOf('judgeEvaluation')).toHaveLength(2);
  const page = await pageOf(bench.client, 'straight');
  expect(page).toMatch(/^\*\*nightly\*\*, completed: 2 evaluations in 0\.50 h of jobs, nothing to compare with yet\n/);
  expect(page).toMatch(
    /\| demo\/sft 50\u2003 \| champion\u2003 \| 0\.625\u2003 \| 0\.500\u2060–\u20600\.750\u2003 \| 2\u2003/,
  );
  expect(await run.query('leaderboard')).toEqual({ rows: [] });
  expect(await bench.client.workflow.getHandle('straight/sweep/evaluation-2').result()).toBeUndefined();
});

test.each([
  { title: 'nothing', input: undefined, want: /sweep: is missing[^]*Input: \{"sweep": "<name of a schedule/ },
  { title: 'a wrong field', input: { sweeps: 'nightly' }, want: /sweeps: .*did you mean "sweep"/ },
  { title: 'a text', input: 'nightly', want: /must be a group of fields/ },
])('$title is refused at once, with the field', async ({ title, input, want }) => {
  const id = `refused-${title.replaceAll(' ', '-')}`;
  bench.tell(id, recipeOf());
  const run = await bench.client.workflow.start(workflowNames.sweep, {
    workflowId: id,
    taskQueue,
    args: input === undefined ? [] : [input],
  });
  const { type, message } = await failureOf(run);
  expect(type).toBe('InvalidInput');
  expect(message).toMatch(want);
});

test('a job that fails is recorded with its words, and the sweep goes on', async () => {
  const { story, run } = await told('goes-on', {
    ...sweepStory(2),
    judgeEvaluation: (_, times) =>
      Promise.resolve({ kind: times === 1 ? 'fail' : 'completed', sentence: 'gpu-oom: no memory.', delaySeconds: 0 }),
  });
  expect(await run.result()).toMatchObject({ outcome: 'completed' });
  expect(failures(story)).toEqual([[1, 1, 'gpu-oom: no memory.']]);
  expect(story.inputsOf('judgeEvaluation')).toHaveLength(2);
});

test('a cancellation stops the job that runs, ends the sweep in the ledger, and tells nobody', async () => {
  const { story, run } = await told('cancelled', { ...sweepStory(2, worse, true), awaitJob: () => runsOn() });
  await story.called('awaitJob');
  await run.cancel();
  await failureOf(run);
  expect((await run.describe()).status.name).toBe('CANCELLED');
  expect(story.inputsOf('stopJob').map(({ reason }) => reason)).toEqual(['cancel']);
  expect(story.inputsOf('closeSweep')).toMatchObject([{ outcome: 'cancelled' }]);
  expect([story.inputsOf('notify'), failures(story)]).toEqual([[], []]);
});

test('a person is told of what became worse, where the profile names somebody, and of nothing else', async () => {
  const { story, run } = await told('tells', sweepStory(1, worse, true));
  await run.result();
  await story.called('notify');
  expect(story.inputsOf('notify')).toMatchObject([
    {
      context: { pipelineId: 'tells', profile: 'local', phase: 'sweep' },
      event: 'sweep',
      cause: expect.stringMatching(/^champion of demo is worse on addition: 70\.0 % \(before\) → 60\.0 %/) as string,
    },
  ]);
  const quiet = await told('quiet', sweepStory(1, report, true));
  await quiet.run.result();
  expect(quiet.story.inputsOf('notify')).toEqual([]);
  expect(await pageOf(bench.client, 'tells')).toContain(
    `champion of demo is worse on addition: 70.0 % (before) → 60.0 % (${checkpoint})`,
  );
});

test('a long sweep goes on in a new history, as the same sweep', async () => {
  const { story, run } = await told('long', {
    ...sweepStory(0),
    nextOfSweep: ({ workflowId }, times) => Promise.resolve(times > 53 ? { kind: 'done' } : job(workflowId, times)),
    openEvaluation: () => Promise.resolve(null),
  });
  expect(await run.result()).toMatchObject({ outcome: 'completed' });
  const opened = story.inputsOf('openSweep').map(({ runId }) => runId);
  expect(opened).toEqual([run.firstExecutionRunId, run.firstExecutionRunId]);
  const first = bench.client.workflow.getHandle('long', run.firstExecutionRunId);
  expect((await first.fetchHistory()).events?.length).toBeLessThan(2000);
  // The run that began it is how the ledger knows it.
  const begun = { workflowId: 'long', runId: run.firstExecutionRunId };
  expect(await runState(bench.client, begun)).toMatchObject({ kind: 'closed', status: 'completed' });
  expect(story.inputsOf('closeSweep')).toHaveLength(1);
});
