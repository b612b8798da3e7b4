/** Who is told of what, and that a phase which ends for good asks a person first. */
import { TemperError } from '../../decisions/errors.ts';
import { eventually } from '../support/eventually.ts';
import { type Document, leastPhases, recipeOf } from '../support/recipes.ts';
import {
  type Answers,
  completed,
  evaluatedSft,
  isBase,
  judged,
  promotes,
  runsOn,
  tellingSomebody,
} from '../support/stories.ts';
import { failureOf, pageOf, type Run, send, statusOf, untilState, benchOfFile } from '../support/workflow-bench.ts';

const bench = benchOfFile();

/** A story on a profile that names somebody. */
const telling = (name: string, recipe: Document, answers: Answers) =>
  bench.tell(name, recipe, { ...tellingSomebody(recipe), ...answers });
const release = (run: Run) => run.executeUpdate<string, [object]>('release', { args: [{}] });
const holdsOnce: Answers['judgeAttempt'] = (_, times) => Promise.resolve(times === 1 ? judged('hold') : completed);
const storeIsFull = new TemperError('store-unusable', 'the disk of the store is full: free some');

async function childrenOf(workflowId: string): Promise<(string | null | undefined)[]> {
  const { events } = await bench.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(
    ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.workflowType?.name ?? [],
  );
}

describe('a person is told', () => {
  test('once of a hold, with the cause, and of nothing else; the phase waits for its release, not for the telling', async () => {
    const story = telling('told', recipeOf([]), { judgeAttempt: holdsOnce });
    const run = await bench.start(story);
    await untilState(run, 'base', 'held');
    await story.called('notify');
    await release(run);
    await run.result();
    const { firstExecutionRunId: runId } = run as unknown as { firstExecutionRunId: string };
    const { runId: teller } = (await bench.client.workflow.getHandle('told/base').describe()) as { runId: string };
    expect(story.inputsOf('notify')).toEqual([
      {
        context: { pipelineId: 'told', runId, profile: 'local', phase: 'base' },
        event: 'held',
        cause: 'attempt 1 failed. hold.',
        key: `told/base/notice-1-${teller}`,
        waits: '24 hours, then it fails',
      },
    ]);
  });

  test('of a failure, also when the chat answers only after the pipeline has ended', async () => {
    let chatIsUp: () => void = () => undefined;
    const up = new Promise<void>((resolve) => (chatIsUp = resolve));
    const story = telling('late', recipeOf([]), {
      judgeAttempt: () => Promise.resolve(judged('fail')),
      notify: async () => {
        await up;
        return { kind: 'sent', sentence: 'told' };
      },
    });
    const run = await bench.start(story);
    await failureOf(run);
    await story.called('notify');
    chatIsUp();
    const [{ key } = { key: '' }] = story.inputsOf('notify');
    expect(await bench.client.workflow.getHandle(key).result()).toEqual({ kind: 'sent', sentence: 'told' });
    expect(story.inputsOf('notify')).toMatchObject([
      { event: 'failed', cause: expect.stringMatching(/^Phase base failed/) as string },
    ]);
  });

  test('twice of a hold that nobody released: it is held, and it failed', async () => {
    const story = telling('nobody-told', recipeOf([]), { judgeAttempt: () => Promise.resolve(judged('hold')) });
    await failureOf(await bench.start(story));
    await story.called('notify', 2);
    // Each is a workflow of its own: which of them is first at the chat is nobody's promise.
    expect(story.inputsOf('notify').map(({ event }) => event)).toEqual(expect.arrayContaining(['held', 'failed']));
    expect(story.inputsOf('notify')).toHaveLength(2);
  });

  test('of a budget that ends beside the training, once, and the training goes on', async () => {
    const spent = 'The evaluation budget is spent: 4 of 4';
    const story = telling('spent', recipeOf([evaluatedSft]), {
      openEvaluation: () => Promise.resolve({ spent }),
    });
    const run = await bench.start(story);
    await run.result();
    expect(story.inputsOf('notify')).toMatchObject([{ event: 'budget', cause: spent, context: { phase: 'sft' } }]);
    expect(story.inputsOf('submitJob').map(({ ticket }) => ticket.purpose)).toEqual(['train', 'train']);
    expect(await pageOf(bench.client, 'spent/sft')).toContain(`- ${spent}; the gate asks again for what it needs`);
  });

  test('of the hold of a phase that was begun anew, which is no news of before', async () => {
    const story = telling('anew', recipeOf([]), {
      judgeAttempt: (_, times) => Promise.resolve(times < 3 ? judged('hold') : completed),
    });
    const run = await bench.start(story);
    await untilState(run, 'base', 'held');
    await send(run, 'retryPhase', { by: 'ann' });
    await story.called('notify', 2);
    await untilState(run, 'base', 'held');
    await release(run);
    await run.result();
    expect(new Set(story.inputsOf('notify').map(({ key }) => key)).size).toBe(2);
  });

  test('of a phase whose run is terminated by hand, as of one that fails', async () => {
    const story = telling('ended-by-hand', recipeOf([]), { awaitJob: () => runsOn() });
    const run = await bench.start(story);
    await story.called('awaitJob');
    await bench.client.workflow.getHandle('ended-by-hand/base').terminate('by hand');
    const { message } = await failureOf(run);
    await story.called('notify');
    expect(story.inputsOf('notify')).toMatchObject([{ event: 'failed', cause: message, context: { phase: 'base' } }]);
  });

  test('of nothing where the profile names nobody: not even the history knows of it', async () => {
    const story = bench.tell('quiet', recipeOf([]), { judgeAttempt: holdsOnce });
    const run = await bench.start(story);
    await untilState(run, 'base', 'held');
    await release(run);
    await run.result();
    expect(story.inputsOf('notify')).toEqual([]);
    expect(await childrenOf('quiet/base')).toEqual([]);
  });

  test('of nothing when a person cancels', async () => {
    const story = telling('cancels', recipeOf([]), { judgeAttempt: () => Promise.resolve(judged('hold')) });
    const run = await bench.start(story);
    await untilState(run, 'base', 'held');
    await story.called('notify');
    await run.cancel();
    await failureOf(run);
    expect(story.inputsOf('notify').map(({ event }) => event)).toEqual(['held']);
  });
});

test('a webhook that refuses is told on the page of the held phase', async () => {
  const refused = 'A person was to be told that the phase is held, and it is not tried again: the webhook answered 404';
  const story = telling('refused', recipeOf([]), {
    judgeAttempt: holdsOnce,
    notify: () => Promise.resolve({ kind: 'refused', sentence: refused }),
  });
  const run = await bench.start(story);
  await untilState(run, 'base', 'held');
  await eventually('the page says so', 60, async () => (await pageOf(bench.client, 'refused/base')).includes(refused));
  const told = () => statusOf(run).then(([base]) => base?.state === 'held' && base.note === refused);
  await eventually('so does the page of the pipeline', 60, told);
  await release(run);
  await run.result();
});

describe('an activity that fails for good holds the phase, and is done again after the release', () => {
  const once =
    <Answer>(answer: () => Answer): ((_: unknown, times: number) => Promise<Answer>) =>
    (_, times) =>
      times === 1 ? Promise.reject(storeIsFull) : Promise.resolve(answer());

  test.each<{ name: string; answers: Answers }>([
    { name: 'looks-for-work', answers: { findFinishedPhase: once(() => null) } },
    { name: 'judges-attempt', answers: { judgeAttempt: once(() => completed) } },
    {
      name: 'watches',
      answers: {
        awaitJob: (_, times) => (times === 1 ? Promise.reject(storeIsFull) : Promise.resolve({ kind: 'ended' })),
      },
    },
  ])('$name', async ({ name, answers }) => {
    const story = bench.tell(name, recipeOf([]), answers);
    const run = await bench.start(story);
    expect((await untilState(run, 'base', 'held')).note).toBe('held: the disk of the store is full: free some');
    await release(run);
    expect((await run.result()).promoted[0]?.outcome.state).toBe('completed');
  });

  test('with a new attempt where one was open, so that its number is never used twice', async () => {
    const story = bench.tell('submits', recipeOf([]), {
      submitJob: ({ ticket }, times) =>
        times === 1
          ? Promise.reject(new TemperError('job-refused', 'it needs 8 slots, this machine has 2'))
          : Promise.resolve({ name: ticket.jobName, uid: 'uid', directory: ticket.directory }),
    });
    const run = await bench.start(story);
    await untilState(run, 'base', 'held');
    await release(run);
    await run.result();
    expect(story.inputsOf('openAttempt').map(({ opened }) => opened)).toEqual([1, 2]);
  });

  test('also in the gate, whose training is not done again', async () => {
    const story = bench.tell('gate-fails', recipeOf([leastPhases.sft]), {
      judgeGate: ({ context }, times) =>
        !isBase(context) && times === 2
          ? Promise.reject(new TemperError('ledger-conflict', 'the evaluation has no problem'))
          : Promise.resolve(promotes(context)),
    });
    const run = await bench.start(story);
    expect((await untilState(run, 'sft', 'held')).note).toBe('held: the evaluation has no problem');
    await release(run);
    await run.result();
    expect(story.inputsOf('openAttempt')).toHaveLength(2);
  });
});

test('a job that waited too long gives up its place and is held; after the release another attempt waits anew', async () => {
  const because = 'It waited 61 min to start (waits behind other jobs for a slot)';
  const story = bench.tell('waits', recipeOf([]), {
    awaitJob: (_, times) => Promise.resolve(times === 1 ? { kind: 'waited', because } : { kind: 'ended' }),
  });
  const run = await bench.start(story);
  expect((await untilState(run, 'base', 'held')).note).toBe(`held: ${because}`);
  expect(story.inputsOf('stopJob')).toMatchObject([{ reason: 'deadline', job: { name: 't-base-a1' } }]);
  await release(run);
  await run.result();
  expect(story.inputsOf('judgeAttempt').map(({ ticket }) => ticket.number)).toEqual([2]);
});

test('a job whose wait has another reason says that one, before there is a job and while it is queued', async () => {
  const wait = (reason: string) => ({ kind: 'waits', for: 'queue', sentence: `waits (${reason})`, reason }) as const;
  const story = bench.tell('other-reasons', recipeOf([]), {
    submitJob: ({ ticket, toldRoom }, times) => {
      if (times === 1) return Promise.resolve({ kind: 'no-room', because: 'no quota' });
      if (toldRoom === 'no quota') return Promise.resolve({ kind: 'no-room', because: 'it is paused' });
      return Promise.resolve({ name: ticket.jobName, uid: 'uid', directory: ticket.directory });
    },
    awaitJob: ({ toldReason }) =>
      Promise.resolve(
        toldReason === undefined ? wait('one') : toldReason === 'one' ? wait('another') : { kind: 'ended' },
      ),
  });
  await (await bench.start(story)).result();
  const page = (await pageOf(bench.client, 'other-reasons/base')).split('\n');
  expect(page.filter((line) => /queued|waits|place/.test(line))).toEqual([
    '- queued: no quota',
    '- queued: it is paused',
    '- attempt 1 has its place now',
    '- waits (one)',
    '- waits (another)',
  ]);
});
