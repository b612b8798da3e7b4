/** A person skips a phase, has it begin anew, or extends a budget: what the phases then do, and what is refused. */
import { TemperError } from '../../decisions/errors.ts';
import { eventually } from '../support/eventually.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';
import type { LeaderboardRow } from '../../decisions/leaderboard.ts';
import {
  type Answers,
  checkpointOf,
  completed,
  evaluatedSft,
  isBase,
  judged,
  promotes,
  rowOf,
  runsOn,
} from '../support/stories.ts';
import {
  failureOf,
  refusalOf,
  send,
  statusOf,
  untilState,
  benchOfFile,
  type WorkflowBench,
} from '../support/workflow-bench.ts';

const bench = benchOfFile();

/** Base, sft, orpo; the first attempt of sft is held. */
const chain = recipeOf([evaluatedSft, leastPhases.orpo]);
const heldOnce: Answers = {
  judgeAttempt: ({ context }, times) => Promise.resolve(!isBase(context) && times === 2 ? judged('hold') : completed),
};
async function untilHeld(pipelineId: string, more: Answers = {}) {
  const story = bench.tell(pipelineId, chain, { ...heldOnce, ...more });
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  return { story, run };
}

type StoryOf = ReturnType<WorkflowBench['tell']>;
const openedOf = (story: StoryOf) => story.inputsOf('openAttempt').map(({ context }) => context);

describe('skipPhase', () => {
  test('ends a held phase: the next one starts from its parent', async () => {
    const { story, run } = await untilHeld('skip-held');
    expect(await send(run, 'skipPhase', { by: 'ann', reason: 'no data' })).toMatch(/^phase sft is skipped/);
    await run.result();
    const [base, , orpo] = openedOf(story);
    expect(orpo?.start?.id).toContain('/base/');
    expect(base?.phase.name).toBe('base');
    expect(story.inputsOf('closePhase').at(-1)).toMatchObject({
      state: 'skipped',
      because: 'ann had it skipped: no data',
    });
    expect(await statusOf(run)).toMatchObject([{ state: 'completed' }, { state: 'skipped' }, { state: 'completed' }]);
  });

  test('keeps a phase from beginning, and says so once more', async () => {
    const { story, run } = await untilHeld('skip-waiting');
    await send(run, 'skipPhase', { phase: 'orpo' });
    expect(await refusalOf(send(run, 'skipPhase', { phase: 'orpo' }))).toBe('phase "orpo" is to be skipped already');
    expect(await refusalOf(send(run, 'hold', { phase: 'orpo' }))).toBe('phase "orpo" is to be skipped already');
    await send(run, 'release');
    const { promoted } = await run.result();
    expect(openedOf(story).map(({ phase }) => phase.name)).toEqual(['base', 'sft', 'sft']);
    expect(promoted.at(-1)?.outcome).toMatchObject({
      state: 'skipped',
      checkpoint: promoted.at(-2)?.outcome.checkpoint,
    });
  });

  test('stops the evaluations that run beside what was held', async () => {
    let begins: () => void = () => undefined;
    const evaluates = new Promise<void>((resolve) => (begins = resolve));
    const { story, run } = await untilHeld('skip-beside', {
      awaitJob: async ({ context, ticket, seenSteps }) => {
        if (context.phase.name !== 'sft') return { kind: 'ended' };
        if (ticket.purpose === 'evaluate') {
          begins();
          return await runsOn();
        }
        if (seenSteps.length === 0) return { kind: 'checkpoint', checkpoint: checkpointOf(context, 20) };
        await evaluates;
        return { kind: 'ended' };
      },
    });
    await send(run, 'skipPhase');
    await run.result();
    expect(story.inputsOf('stopJob').map(({ ticket, reason }) => [ticket.purpose, reason])).toEqual([
      ['evaluate', 'cancel'],
    ]);
  });
});

describe('retryPhase', () => {
  test('begins a held phase anew, with its parameters changed, and the plan says so', async () => {
    const { story, run } = await untilHeld('again');
    const set = { 'params.learningRate': 0.0001 };
    expect(await send(run, 'retryPhase', { phase: 'sft', set, by: 'ann' })).toBe(
      'phase sft begins anew from its start with params.learningRate 0.0001',
    );
    await run.result();
    const rates = openedOf(story)
      .filter(({ phase }) => phase.name === 'sft')
      .map(({ phase }) => (phase.params as { learningRate: number }).learningRate);
    expect(rates).toHaveLength(2);
    expect(rates[1]).toBe(0.0001);
    expect(rates[0]).not.toBe(0.0001);
    expect(story.inputsOf('recordSteering')).toMatchObject([
      { phase: 'sft', request: { message: 'retryPhase', set }, by: { by: 'ann' } },
    ]);
    expect(await run.query('plan')).toMatchObject({ changed: ['phases.sft.params.learningRate'] });
    expect(await statusOf(run)).toMatchObject([{ state: 'completed' }, { state: 'completed' }, { state: 'completed' }]);
  });

  test('refuses what a retry may not change and what the recipe refuses; the phase stays held', async () => {
    const { story, run } = await untilHeld('again-refused');
    expect(await refusalOf(send(run, 'retryPhase', { set: { 'gate.0': 1 } }))).toMatch(
      /^set: gate\.0 is no field that/,
    );
    expect(await refusalOf(send(run, 'retryPhase', { set: { 'params.learningRat': 1 } }))).toMatch(
      /learningRat: .*did you mean "learningRate"/,
    );
    expect(await refusalOf(send(run, 'retryPhase', { phase: 'orpo' }))).toBe('phase "orpo" has not begun');
    expect(await refusalOf(send(run, 'retryPhase', { phase: 'base' }))).toBe(
      'phase "base" is over (completed): what follows may have begun from its checkpoint',
    );
    expect(story.inputsOf('recordSteering')).toEqual([]);
    expect(await statusOf(run)).toMatchObject([{}, { state: 'held' }, {}]);
    await send(run, 'release');
    await run.result();
  });

  test('of two messages at once one is done, and the other one is refused', async () => {
    const { story, run } = await untilHeld('at-once');
    const answers = await Promise.allSettled([send(run, 'retryPhase'), send(run, 'skipPhase'), send(run, 'release')]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await run.result();
    expect(story.inputsOf('recordSteering').length + story.inputsOf('recordRelease').length).toBe(1);
  });

  test('leaves no job when the pipeline is cancelled then', async () => {
    const { story, run } = await untilHeld('again-cancelled', {
      awaitJob: (_, times) => (times > 2 ? runsOn() : Promise.resolve({ kind: 'ended' })),
    });
    await send(run, 'retryPhase');
    await story.called('awaitJob', 3);
    await run.cancel();
    await failureOf(run);
    expect(story.inputsOf('stopJob').map(({ reason }) => reason)).toEqual(['cancel']);
  });
});

describe('promote', () => {
  test('ends a held phase with the checkpoint that a person names, and the next one starts from it', async () => {
    const { story, run } = await untilHeld('by-hand');
    const checkpoint = 'by-hand/sft/a1/checkpoint-20';
    expect(await send(run, 'promote', { checkpoint, by: 'ann', reason: 'best by hand' })).toBe(
      `phase sft ends with ${checkpoint}`,
    );
    await run.result();
    const because = `ann promoted ${checkpoint}: best by hand`;
    expect(story.inputsOf('promote').at(1)).toMatchObject({ checkpoint: { id: checkpoint }, because });
    expect(openedOf(story).at(-1)).toMatchObject({ phase: { name: 'orpo' }, start: { id: checkpoint } });
    expect(story.inputsOf('recordSteering')).toMatchObject([{ request: { message: 'promote', checkpoint } }]);
  });

  test('of a checkpoint that is not there is refused, and of one that proves damaged the phase is held again', async () => {
    const { run } = await untilHeld('not-there', {
      nameCheckpoint: ({ checkpoint }) => {
        if (checkpoint !== 'sft-20') return Promise.reject(new TemperError('not-found', 'there are: sft-20'));
        const id = 'not-there/sft/a1/checkpoint-20';
        return Promise.resolve({ id, path: `/store/${id}`, format: 'peft', base: null, step: 20, digest: null });
      },
      promote: ({ context, checkpoint }) => {
        if (isBase(context) || checkpoint.step !== 20) return Promise.resolve({ ...checkpoint, digest: 'digest' });
        return Promise.reject(new TemperError('checkpoint-damaged', 'its seal does not agree'));
      },
    });
    expect(await refusalOf(send(run, 'promote', {}))).toMatch(/^Input of promote is not valid:\n {2}checkpoint: /);
    expect(await refusalOf(send(run, 'promote', { checkpoint: 'sft-30' }))).toBe('there are: sft-20');
    expect(await statusOf(run)).toMatchObject([{}, { state: 'held' }, {}]);
    await send(run, 'promote', { checkpoint: 'sft-20' });
    await eventually('it is held for the damage', 60, async () =>
      (await statusOf(run)).some(({ note }) => note === 'held: its seal does not agree'),
    );
    await run.cancel();
    await failureOf(run);
  });

  test('has the last word: the leaderboard of the page says who promoted what, and why', async () => {
    const { story, run } = await untilHeld('by-hand', {
      judgeAttempt: () => Promise.resolve(completed),
      judgeGate: ({ context }) => {
        if (context.phase.name !== 'sft') return Promise.resolve(promotes(context));
        const rows = [20, 50].map((step) => rowOf(context, step, { verdict: 'open' }));
        return Promise.resolve({ kind: 'hold', sentence: 'a person must look.', rows });
      },
      nameCheckpoint: ({ phase }) => {
        const id = `by-hand/${phase}/a1/checkpoint-20`;
        return Promise.resolve({ id, path: `/store/${id}`, format: 'peft', base: null, step: 20, digest: null });
      },
    });
    await send(run, 'promote', { checkpoint: 'sft-20', by: 'ann', reason: 'it writes better' });
    await run.result();
    const [said] = story.inputsOf('recordSteering');
    expect(story.inputsOf('promote')[1]).toMatchObject({ steering: said?.id });
    const { rows } = await run.query<{ rows: readonly LeaderboardRow[] }>('leaderboard');
    expect(rows.map(({ step, verdict, why }) => [step, verdict, why])).toEqual([
      [20, 'promote', 'Promoted by ann: it writes better.'],
      [50, 'passed-over', 'ann promoted by-hand/sft/a1/checkpoint-20: it writes better.'],
    ]);
  });
});

describe('extendBudget', () => {
  test('counts from the next judgement on, also for phases that follow, and says that a held phase waits', async () => {
    const { story, run } = await untilHeld('budget');
    expect(await send(run, 'extendBudget', { budgets: { attempts: 9 } })).toBe(
      'extended budgets.attempts to 9; phase sft is held: release it',
    );
    expect(await refusalOf(send(run, 'extendBudget', { budgets: { attempts: 9 } }))).toBe(
      'budgets.attempts is 9 already',
    );
    expect(await refusalOf(send(run, 'extendBudget', { budgets: { gpuHours: 9 } }))).toBe(
      'budgets.gpuHours has no limit',
    );
    expect(await refusalOf(send(run, 'extendBudget', {}))).toMatch(
      /^Input of extendBudget is not valid:\n {2}budgets: /,
    );
    expect(await refusalOf(send(run, 'extendBudget', { budgets: { attempts: 0 }, buy: 'ann' }))).toMatch(
      /^Input of extendBudget is not valid:\n {2}• budgets\.attempts: .*\n {2}• buy: .*did you mean "by"\?/,
    );
    await send(run, 'release');
    await run.result();
    const budgets = story.inputsOf('judgeAttempt').map(({ context }) => context.budgets.attempts);
    expect(budgets).toEqual([5, 5, 9, 9]);
  });
});
