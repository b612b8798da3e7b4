/** A pipeline that is cancelled: nothing of it runs on, and everything says so. */
import { TemperError } from '../../decisions/errors.ts';
import { childIds } from '../../workflows/contract.ts';
import { eventually } from '../support/eventually.ts';
import { recipeOf } from '../support/recipes.ts';
import { checkpointOf, evaluatedSft, isBase, judged, runsOn, ticketOf } from '../support/stories.ts';
import { failureOf, statusOf, untilState, benchOfFile } from '../support/workflow-bench.ts';

const bench = benchOfFile();

async function eventsOf(workflowId: string) {
  return (await bench.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}

describe('a cancellation', () => {
  const stopsOf = (story: ReturnType<typeof bench.tell>) =>
    story.inputsOf('stopJob').map(({ job, reason }) => [job.name, reason]);

  test('stops the job that runs, once, and says so everywhere, with the step that it had reached', async () => {
    const story = bench.tell('cancelled', recipeOf([]), {
      awaitJob: () => runsOn(),
      stopJob: () => Promise.resolve({ step: 120 }),
    });
    const run = await bench.start(story);
    await story.called('awaitJob');
    await run.cancel();
    await failureOf(run);
    expect((await run.describe()).status.name).toBe('CANCELLED');
    expect(stopsOf(story)).toEqual([['t-base-a1', 'cancel']]);
    expect(story.inputsOf('closePhase')).toMatchObject([{ state: 'cancelled' }]);
    expect(story.inputsOf('closePipeline')).toMatchObject([{ state: 'cancelled' }]);
    expect(await statusOf(run)).toMatchObject([{ state: 'cancelled', step: 120 }]);
  });

  test('stops the evaluation that runs beside it too, and closes', async () => {
    const story = bench.tell('cancelled-beside', recipeOf([evaluatedSft]), {
      awaitJob: ({ context, ticket, seenSteps }) => {
        if (isBase(context)) return Promise.resolve({ kind: 'ended' });
        if (ticket.purpose === 'evaluate' || seenSteps.length > 0) return runsOn();
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 20) });
      },
    });
    const run = await bench.start(story);
    await story.called('awaitJob', 4);
    await run.cancel();
    await failureOf(run);
    expect((await run.describe()).status.name).toBe('CANCELLED');
    expect(stopsOf(story)).toHaveLength(2);
    const failures = (await eventsOf('cancelled-beside/sft')).filter(
      (event) => event.workflowTaskFailedEventAttributes,
    );
    expect(failures).toEqual([]);
  });

  test('while a phase is held closes it', async () => {
    const story = bench.tell('cancelled-held', recipeOf([]), { judgeAttempt: () => Promise.resolve(judged('hold')) });
    const run = await bench.start(story);
    await untilState(run, 'base', 'held');
    await run.cancel();
    await failureOf(run);
    expect(story.inputsOf('closePhase').map(({ state }) => state)).toEqual(['held', 'cancelled']);
    expect(stopsOf(story)).toEqual([]);
  });

  test('while a phase is held leaves how far it was', async () => {
    const story = bench.tell('held-far', recipeOf([]), {
      judgeAttempt: () => Promise.resolve(judged('hold', { step: 120 })),
    });
    const run = await bench.start(story);
    expect(await untilState(run, 'base', 'held')).toMatchObject({ step: 120 });
    await run.cancel();
    await failureOf(run);
    expect(await statusOf(run)).toMatchObject([{ state: 'cancelled', step: 120 }]);
  });

  const heard = (workflowId: string) =>
    eventually('the phase hears of it', 60, async () =>
      (await eventsOf(workflowId)).some((event) => event.workflowExecutionCancelRequestedEventAttributes),
    );

  test('while there is no room for a job asks for it no more, and withdraws what was asked for', async () => {
    const story = bench.tell('cancelled-queued', recipeOf([]), {
      submitJob: ({ waitsSince }) => {
        if (waitsSince === undefined) return Promise.resolve({ kind: 'no-room', because: 'exceeded quota: full' });
        return Promise.reject(new TemperError('no-room', 'exceeded quota: full'));
      },
    });
    const run = await bench.start(story);
    await story.called('submitJob', 3);
    await eventually('the page says why it waits', 60, async () => {
      const [base] = await statusOf(run);
      return base?.state === 'running' && base.note === 'queued: exceeded quota: full';
    });
    const asked = story.inputsOf('submitJob').length;
    await run.cancel();
    await failureOf(run);
    expect((await run.describe()).status.name).toBe('CANCELLED');
    expect(story.inputsOf('submitJob').length).toBeLessThanOrEqual(asked + 1);
    expect(story.inputsOf('withdrawJob')).toMatchObject([{ ticket: { jobName: 't-base-a1' }, reason: 'cancel' }]);
    expect(stopsOf(story)).toEqual([]);
    expect(story.inputsOf('openAttempt')).toHaveLength(1);
    expect(story.inputsOf('closePhase')).toMatchObject([{ state: 'cancelled' }]);
  });

  test('before a submit creates nothing', async () => {
    let opened: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (opened = resolve));
    const story = bench.tell('cancelled-opening', recipeOf([]), {
      openAttempt: async ({ context, opened: number }) => {
        await gate;
        return ticketOf(context, number);
      },
    });
    const run = await bench.start(story);
    await story.called('openAttempt');
    await run.cancel();
    await heard('cancelled-opening/base');
    opened();
    await failureOf(run);
    expect(story.inputsOf('submitJob')).toEqual([]);
    expect(story.inputsOf('withdrawJob')).toMatchObject([{ reason: 'cancel' }]);
  });

  test.each(['fail', 'hold'])(
    'ends as one where an activity fails for good meanwhile, also with onFailure: %s',
    async (onFailure) => {
      let fail: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (fail = resolve));
      const pipelineId = `cancelled-failing-${onFailure}`;
      const story = bench.tell(pipelineId, recipeOf([], { onFailure }), {
        openAttempt: async () => {
          await gate;
          throw new TemperError('store-unusable', 'the store is full');
        },
      });
      const run = await bench.start(story);
      await story.called('openAttempt');
      await run.cancel();
      await heard(`${pipelineId}/base`);
      fail();
      await failureOf(run);
      expect((await run.describe()).status.name).toBe('CANCELLED');
      expect(await statusOf(run)).toMatchObject([{ state: 'cancelled' }]);
      expect(story.inputsOf('closePhase')).toMatchObject([
        { state: 'cancelled', because: 'cancelled; meanwhile: the store is full' },
      ]);
      expect(story.inputsOf('closePipeline')).toMatchObject([{ state: 'cancelled' }]);
    },
  );

  test('in the middle of a submit that comes through stops what it made: no job that nobody knows of', async () => {
    let submitted: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (submitted = resolve));
    const story = bench.tell('cancelled-submit', recipeOf([]), {
      submitJob: async ({ ticket }) => {
        await gate;
        return { name: ticket.jobName, uid: 'uid', directory: ticket.directory };
      },
    });
    const run = await bench.start(story);
    await story.called('submitJob');
    await run.cancel();
    await heard('cancelled-submit/base');
    submitted();
    await failureOf(run);
    expect(stopsOf(story)).toEqual([['t-base-a1', 'cancel']]);
  });
});

test('a phase that is terminated by hand is over everywhere, and its job is stopped', async () => {
  const story = bench.tell('phase-terminated', recipeOf([]), { awaitJob: () => runsOn() });
  const run = await bench.start(story);
  await story.called('awaitJob');
  await untilState(run, 'base', 'running');
  await bench.client.workflow.getHandle(childIds.phase('phase-terminated', 'base')).terminate('by hand');
  const { message } = await failureOf(run);
  expect(message).toMatch(/^Phase base failed: its run was terminated, .*goes on from the newest checkpoint$/);
  expect(story.inputsOf('stopJobsOf').map(({ context }) => context.phase.name)).toEqual(['base']);
  expect(story.inputsOf('closePhase')).toMatchObject([{ state: 'failed' }]);
  expect(story.inputsOf('closePipeline')).toMatchObject([{ state: 'failed' }]);
  expect(await statusOf(run)).toMatchObject([{ state: 'failed', attempt: 1 }]);
});
