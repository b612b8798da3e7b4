/** A phase that its gate holds: what a release is for, and what follows when nobody comes. */
import type { GateAnswer } from '../../activities/gate.ts';
import { minuteOf } from '../../decisions/utc-minute.ts';
import type { PhaseContext } from '../../workflows/contract.ts';
import { recipeOf } from '../support/recipes.ts';
import { evaluatedSft, isBase, promotes, type Story } from '../support/stories.ts';
import { failureOf, pageOf, untilState, benchOfFile } from '../support/workflow-bench.ts';

const bench = benchOfFile();

const heldAt = { stage: 0, contenders: ['one', 'other'] };
const releasesOf = (story: Story) => story.inputsOf('judgeGate').map(({ releases }) => releases);

test.each([
  { id: 'undecided', held: { heldAt } },
  { id: 'otherwise-held', held: {} },
])('the gate hears of a release where the evidence did not decide, and only there: $id', async ({ id, held }) => {
  const story = bench.tell(id, recipeOf([evaluatedSft]), {
    judgeGate: ({ context }, times) =>
      isBase(context) || times > 2
        ? Promise.resolve(promotes(context))
        : Promise.resolve({ kind: 'hold', sentence: 'a person must look.', rows: [], ...held }),
  });
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  await run.executeUpdate<string, [object]>('release', { args: [{}] });
  await run.result();
  expect(releasesOf(story)).toEqual([[], [], Object.values(held)]);
});

test('a release holds while a later stage asks for evaluations', async () => {
  const missing = [{ checkpoint: 'asked/sft/a1/checkpoint-50', benchmark: 'addition', version: 1, seed: 2 }];
  const story = bench.tell('asked', recipeOf([evaluatedSft]), {
    judgeGate: ({ context }, times) => {
      if (isBase(context) || times > 3) return Promise.resolve(promotes(context));
      if (times > 2)
        return Promise.resolve({ kind: 'more-evaluations', sentence: 'one is missing.', rows: [], missing });
      return Promise.resolve({ kind: 'hold', sentence: 'a person must look.', rows: [], heldAt });
    },
  });
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  await run.executeUpdate<string, [object]>('release', { args: [{}] });
  await run.result();
  expect(releasesOf(story)).toEqual([[], [], [heldAt], [heldAt]]);
});

describe('when nobody comes', () => {
  const held = { kind: 'hold', sentence: 'a person must look.', rows: [] } as const;
  const rejected = { kind: 'reject', sentence: 'Rejected: none passed.', rows: [] } as const;
  const sftThat = (change: object, then: string) =>
    recipeOf([{ ...evaluatedSft, ...change }], { hold: { hours: 1, then } });
  const once = (answer: GateAnswer) => ({
    judgeGate: ({ context }: { readonly context: PhaseContext }, times: number) =>
      Promise.resolve(isBase(context) || times > 2 ? promotes(context) : answer),
  });

  test('the highest goes on where the recipe says so and the evidence does not decide, and the ledger knows why', async () => {
    const story = bench.tell('nobody-highest', sftThat({}, 'highest'), once({ ...held, heldAt }));
    const { promoted } = await (await bench.start(story)).result();
    expect(promoted[1]?.outcome.state).toBe('completed');
    expect(releasesOf(story)).toEqual([[], [], [heldAt]]);
    expect(story.inputsOf('closePhase')).toMatchObject([{ state: 'held', then: 'highest' }]);
    expect(story.inputsOf('recordRelease')).toMatchObject([
      {
        hold: 1,
        nobodyCame: 'highest',
        release: { by: 'the recipe', reason: expect.stringContaining('held for 1 hour and nobody') as string },
      },
    ]);
  });

  test.each([
    { id: 'nobody-undecided', answer: { ...held, heldAt }, change: {} },
    { id: 'nobody-unjudged', answer: held, change: {} },
    { id: 'nobody-rejected', answer: rejected, change: { onReject: 'hold' } },
  ])('the parent goes on where the recipe says so: $id', async ({ id, answer, change }) => {
    const story = bench.tell(id, sftThat(change, 'keep-parent'), once(answer));
    const { promoted } = await (await bench.start(story)).result();
    expect(promoted[1]?.outcome).toMatchObject({ state: 'rejected', checkpoint: { id: `${id}/base/a1/checkpoint-0` } });
    expect(promoted[1]?.outcome.because).toContain('Nobody released it in time');
  });

  test.each([
    { id: 'nobody-says', answer: { ...held, heldAt }, then: 'fail', change: {} },
    { id: 'nobody-passed', answer: rejected, then: 'highest', change: { onReject: 'hold' } },
    { id: 'nobody-judges', answer: held, then: 'highest', change: {} },
  ])('it fails where there is no such thing: $id', async ({ id, answer, then, change }) => {
    const story = bench.tell(id, sftThat(change, then), once(answer));
    expect((await failureOf(await bench.start(story))).message).toMatch(/; held for 1 hour and nobody released it$/);
  });

  test('a held phase says until when, and what then, on its page and that of its pipeline', async () => {
    const story = bench.tell('says-when', sftThat({}, 'highest'), once({ ...held, heldAt }));
    const run = await bench.start(story);
    await untilState(run, 'sft', 'held');
    const [{ until } = {}] = story.inputsOf('closePhase');
    const when = `until ${minuteOf(until ?? '')} UTC, then the highest goes on`;
    expect(Date.parse(until ?? '') - Date.now()).toBeGreaterThan(59 * 60_000);
    expect(await pageOf(bench.client, 'says-when/sft')).toContain(`**held** ${when}`);
    expect(await pageOf(bench.client, 'says-when')).toContain(`**sft is held for a person**, ${when}. To go on`);
    await run.executeUpdate<string, [object]>('release', { args: [{}] });
    await run.result();
    expect(await pageOf(bench.client, 'says-when/sft')).not.toContain(when);
  });
});
