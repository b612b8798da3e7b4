/** Bad input ends a pipeline at once, in words that help, and leaves nothing behind. */
import { readdir } from 'node:fs/promises';
import { WorkflowFailedError } from '@temporalio/client';
import { startEmbedded, type Embedded, type PipelineHandle, type Site } from '../support/embedded.ts';
import { shortRecipe } from '../support/short-recipe.ts';

let embedded: Embedded;
let site: Site;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site('refusals');
  await site.startWorker();
});
afterAll(() => embedded.close());

/** The failure as a person reads it at the top of the run's page. */
async function failureOf(handle: PipelineHandle): Promise<string> {
  const error: unknown = await handle.result().then(
    () => new Error('it completed'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowFailedError)) throw error;
  return error.cause?.message ?? '';
}

/** What a run did before it ended that takes a while: timers, and what was tried again. */
async function delaysOf(handle: PipelineHandle): Promise<readonly string[]> {
  const events = (await handle.fetchHistory()).events ?? [];
  return events.flatMap((event) => [
    ...(event.timerStartedEventAttributes ? ['a timer'] : []),
    ...(event.workflowTaskFailedEventAttributes ? ['a workflow task that failed'] : []),
    ...((event.activityTaskStartedEventAttributes?.attempt ?? 1) > 1 ? ['an activity that was tried again'] : []),
  ]);
}

const cases: Record<string, { readonly input: () => unknown; readonly want: readonly string[] }> = {
  'an unknown field of the input': {
    input: () => ({ recipe: 'tiny', profle: 'local' }),
    want: ['profle', 'did you mean "profile"?'],
  },
  'a recipe that the worker does not have': {
    input: () => ({ recipe: 'tinny' }),
    want: ['no recipe is named "tinny"', 'did you mean "tiny"?'],
  },
  'an unknown field of an inline recipe': {
    input: async () => ({ recipe: await shortRecipe(['base', 'sft'], { 'phases.sft.params.learnRate': 0.1 }) }),
    want: ['phases.sft.params.learnRate', 'did you mean "learningRate"?'],
  },
  '`set` on a phase that does not exist': {
    input: () => ({ recipe: 'tiny', set: { 'phases.stf.params.steps': 3 } }),
    want: ['phases.stf.params.steps', 'did you mean "sft"?'],
  },
  'a profile that the worker does not have': {
    input: () => ({ recipe: 'tiny', profile: 'locale' }),
    want: ['"locale"', '"local"'],
  },
  'an input that is no group of fields': {
    input: () => 'tiny',
    want: ['"tiny"', 'a group of fields'],
  },
};

describe('a pipeline fails at once, naming the field and the nearest valid name, for', () => {
  it.each(Object.entries(cases))('%s', async (name, { input, want }) => {
    const pipelineId = `refused-${String(Object.keys(cases).indexOf(name))}`;
    const pipeline = await site.start(pipelineId, await input());
    const message = await failureOf(pipeline);
    for (const words of want) expect(message).toContain(words);
    expect(await delaysOf(pipeline)).toEqual([]);
  });

  it('and leaves no run in the ledger and no folder on the store', async () => {
    expect(await site.ledger.pipelines()).toEqual([]);
    expect(await site.ledger.liveAttempts()).toEqual([]);
    expect(await readdir(site.store)).not.toContain('pipelines');
  });
});
