/** A person holds a phase: while its job runs or waits, while evaluations run, before it begins; and lets it go on, or cancels. */
import { TemperError } from '../../decisions/errors.ts';
import { workflowNames } from '../../workflows/contract.ts';
import { eventually } from '../support/eventually.ts';
import { recipeOf } from '../support/recipes.ts';
import {
  type Answers,
  checkpointOf,
  completed,
  evaluatedSft,
  isBase,
  judged,
  promotes,
  runsOn,
} from '../support/stories.ts';
import {
  failureOf,
  pageOf,
  refusalOf,
  send,
  statusOf,
  untilState,
  benchOfFile,
  type WorkflowBench,
} from '../support/workflow-bench.ts';

const bench = benchOfFile();

type StoryOf = ReturnType<WorkflowBench['tell']>;
const stopsOf = (story: StoryOf) => story.inputsOf('stopJob').map(({ job, reason }) => `${job.name} ${reason}`);

/** What sft does while it is held: its answers, the calls until it does so, and what a hold stops. */
const situations: readonly {
  readonly what: string;
  readonly answers: Answers;
  readonly until: (story: StoryOf) => Promise<void>;
  readonly stops: readonly string[];
  readonly withdraws: number;
}[] = [
  {
    what: 'its job runs',
    answers: {
      awaitJob: ({ context }, times) =>
        times === 2 && !isBase(context) ? runsOn() : Promise.resolve({ kind: 'ended' }),
      judgeAttempt: (_, times) => Promise.resolve(times === 2 ? judged('resume', { delaySeconds: 1 }) : completed),
    },
    until: (story) => story.called('awaitJob', 2),
    stops: ['t-sft-a1 hold'],
    withdraws: 0,
  },
  {
    what: 'its job waits for room',
    answers: {
      submitJob: ({ context, ticket, waitsSince }) => {
        const job = { name: ticket.jobName, uid: 'uid', directory: ticket.directory };
        if (isBase(context) || ticket.number > 1 || ticket.purpose === 'evaluate') return Promise.resolve(job);
        if (waitsSince === undefined) return Promise.resolve({ kind: 'no-room', because: 'exceeded quota: full' });
        return Promise.reject(new TemperError('no-room', 'exceeded quota: full'));
      },
    },
    until: (story) => story.called('submitJob', 3),
    stops: [],
    withdraws: 1,
  },
  {
    what: 'evaluations run beside the training',
    answers: {
      awaitJob: ({ context, ticket, seenSteps }) => {
        if (isBase(context) || ticket.number > 1) return Promise.resolve({ kind: 'ended' });
        if (ticket.purpose === 'evaluate' || seenSteps.length > 0) return runsOn();
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 20) });
      },
      judgeAttempt: (_, times) => Promise.resolve(times === 2 ? judged('resume') : completed),
    },
    until: (story) => story.called('awaitJob', 4),
    stops: ['t-sft-a1 cancel', 't-sft-a1 hold'],
    withdraws: 0,
  },
  {
    what: 'the gate waits for evaluations',
    answers: {
      awaitJob: ({ ticket }, times) =>
        ticket.purpose === 'evaluate' && times === 3 ? runsOn() : Promise.resolve({ kind: 'ended' }),
      judgeGate: ({ context }, times) => {
        if (isBase(context) || times > 3) return Promise.resolve(promotes(context));
        const missing = [{ checkpoint: checkpointOf(context, 50).id, benchmark: 'addition', version: 1, seed: 2 }];
        return Promise.resolve({ kind: 'more-evaluations', sentence: 'one is missing.', rows: [], missing });
      },
    },
    until: (story) => story.called('awaitJob', 3),
    stops: ['t-sft-a1 cancel'],
    withdraws: 0,
  },
];

describe.each(situations)('a hold while $what', ({ what, answers, until, stops, withdraws }) => {
  const name = what.replaceAll(' ', '-');
  const held = async (pipelineId: string) => {
    // Also where failures end the pipeline: this is none.
    const story = bench.tell(pipelineId, recipeOf([evaluatedSft], { onFailure: 'fail' }), answers);
    const run = await bench.start(story);
    await until(story);
    const answer = await send(run, 'hold', { by: 'ann', reason: 'the nodes are needed' });
    expect(answer).toMatch(/^phase sft stops and saves, and is held then/);
    await untilState(run, 'sft', 'held');
    return { story, run };
  };

  test('stops what uses GPUs, is kept with who and why, and a release lets it go on', async () => {
    const { story, run } = await held(`go-on-${name}`);
    expect(stopsOf(story).toSorted()).toEqual(stops);
    expect(story.inputsOf('withdrawJob')).toHaveLength(withdraws);
    expect(story.inputsOf('recordSteering')).toMatchObject([
      { phase: 'sft', request: { message: 'hold' }, by: { by: 'ann', reason: 'the nodes are needed' } },
    ]);
    expect(await pageOf(bench.client, `go-on-${name}/sft`)).toContain(
      'held: ann asked to hold it: the nodes are needed',
    );
    expect(await refusalOf(send(run, 'hold'))).toBe('phase "sft" is held already');
    await send(run, 'release');
    await run.result();
    expect(await statusOf(run)).toMatchObject([{ state: 'completed' }, { state: 'completed' }]);
  });

  test('leaves no job when it is cancelled then', async () => {
    const { story, run } = await held(`cancel-${name}`);
    await run.cancel();
    await failureOf(run);
    expect((await run.describe()).status.name).toBe('CANCELLED');
    expect(stopsOf(story).toSorted()).toEqual(stops);
    expect(story.inputsOf('closePhase').at(-1)).toMatchObject({ state: 'cancelled' });
  });
});

describe('a hold', () => {
  test('of a phase that has not begun lets it not begin until it is released', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const story = bench.tell('not-begun', recipeOf([evaluatedSft]), {
      judgeAttempt: async () => {
        await gate;
        return completed;
      },
    });
    const run = await bench.start(story);
    await story.called('judgeAttempt');
    expect(await send(run, 'hold', { phase: 'sft' })).toBe('phase sft is held before it begins');
    expect(await refusalOf(send(run, 'hold', { phase: 'sft' }))).toBe('phase "sft" is to be held already');
    go();
    await untilState(run, 'sft', 'held');
    expect(story.inputsOf('openAttempt').map(({ context }) => context.phase.name)).toEqual(['base']);
    await send(run, 'release', { phase: 'sft' });
    await run.result();
  });

  test('that comes too late for its phase holds the next one', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const story = bench.tell('late', recipeOf([evaluatedSft]), {
      promote: async ({ context, checkpoint }) => {
        if (isBase(context)) await gate;
        return { ...checkpoint, digest: 'digest' };
      },
    });
    const run = await bench.start(story);
    await story.called('promote');
    await send(run, 'hold', { phase: 'base' });
    go();
    await untilState(run, 'sft', 'held');
    expect(await statusOf(run)).toMatchObject([{ state: 'completed' }, { state: 'held' }]);
    await send(run, 'release');
    await run.result();
  });

  test('of a phase whose earlier run is still closing holds the run that begins then', async () => {
    // Nobody works on it: it is there until it is ended.
    const closing = await bench.client.workflow.start(workflowNames.phase, {
      ...{ workflowId: 'nobody-closes/sft', taskQueue: 'nowhere', args: [] },
    });
    const run = await bench.start(bench.tell('nobody-closes', recipeOf([evaluatedSft])));
    await eventually('the id is taken', 60, async () =>
      (await run.fetchHistory()).events?.some((event) => event.startChildWorkflowExecutionFailedEventAttributes),
    );
    expect(await send(run, 'hold', { by: 'ann' })).toMatch(/^phase sft stops and saves/);
    await closing.terminate();
    expect((await failureOf(run)).message).toContain('ann asked to hold it; held for 24 hours');
  });

  test('that cannot be kept in the ledger is none, and may be asked again', async () => {
    const story = bench.tell('not-kept', recipeOf([]), {
      awaitJob: () => runsOn(),
      judgeAttempt: () => Promise.resolve(judged('resume')),
      recordSteering: (_, times) =>
        times === 1 ? Promise.reject(new TemperError('ledger-conflict', 'the ledger says no')) : Promise.resolve(),
    });
    const run = await bench.start(story);
    await story.called('awaitJob');
    expect(await refusalOf(send(run, 'hold'))).toBe('the ledger says no');
    expect(await send(run, 'hold')).toMatch(/, no phase is left to hold$/);
    await untilState(run, 'base', 'held');
    await run.cancel();
    await failureOf(run);
  });

  test('that is being kept when the pipeline ends is answered', async () => {
    const story = bench.tell('near-the-end', recipeOf([]), {
      promote: async ({ checkpoint }) => {
        await story.called('recordSteering');
        return { ...checkpoint, digest: 'digest' };
      },
      recordSteering: async () => {
        await untilState(run, 'base', 'completed');
      },
    });
    const run = await bench.start(story);
    await story.called('promote');
    expect(await send(run, 'hold')).toMatch(/^phase base stops and saves.*, no phase is left to hold$/);
    await run.result();
  });

  test('that comes twice at once is done once, and the other one is refused', async () => {
    const story = bench.tell('twice', recipeOf([]), {
      awaitJob: () => runsOn(),
      judgeAttempt: () => Promise.resolve(judged('resume')),
    });
    const run = await bench.start(story);
    await story.called('awaitJob');
    const answers = await Promise.allSettled([send(run, 'hold', { by: 'ann' }), send(run, 'hold', { by: 'bob' })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await untilState(run, 'base', 'held');
    expect(story.inputsOf('recordSteering')).toHaveLength(1);
    await run.cancel();
    await failureOf(run);
  });

  test('says what is wrong with its input, and that a phase is over', async () => {
    const story = bench.tell('refused', recipeOf([evaluatedSft]), {
      awaitJob: ({ context }) => (isBase(context) ? Promise.resolve({ kind: 'ended' }) : runsOn()),
    });
    const run = await bench.start(story);
    await story.called('awaitJob', 2);
    expect(await refusalOf(send(run, 'hold', { phse: 'sft' }))).toMatch(
      /^Input of hold is not valid:\n {2}phse: .*phase/,
    );
    expect(await refusalOf(send(run, 'hold', { phase: 'stf' }))).toBe(
      'there is no phase "stf"; did you mean "sft"? phases: base, sft',
    );
    expect(await refusalOf(send(run, 'hold', { phase: 'base' }))).toBe('phase "base" is over (completed)');
    await run.cancel();
    await failureOf(run);
  });
});
