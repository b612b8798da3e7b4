/** Every update, sent by the form of the UI: what a person reads on the page before, after, and where it is refused. */
import { appendFile } from 'node:fs/promises';
import { type Locator, type Page } from 'playwright-core';
import { runFiles } from '../../store/run-directory.ts';
import { markdownOf, openWebUi, tabsOf, takePicture, textOnce, type WebUi } from '../support/browser.ts';
import {
  phaseOf,
  signalTrainer,
  startEmbedded,
  untilStep,
  type Embedded,
  type PipelineHandle,
  type Site,
} from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { standInRecipe, standInSite } from '../support/stand-in-site.ts';
import { openUpdates, refusal, sendUpdate } from '../support/update-form.ts';

/** Long enough to be met while it trains. */
const long = { steps: 9000, checkpointEvery: 10 };
/** Its gate asks for a score that no job can make. */
const judgedOutside = {
  evaluate: { benchmarks: ['coin'], seeds: 1, maxSeeds: 1 },
  gate: [{ require: { scoreAtLeast: { benchmark: 'public', score: 0.7 } } }],
  onReject: 'hold',
};

const watchdogLine =
  '[rank0]:[E1130 10:00:00.1 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=418, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.';

let embedded: Embedded;
let ui: WebUi;
let page: Page;
let site: Site;
let run: PipelineHandle;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await standInSite(embedded, 'temper');
  await site.startWorker();
  ui = await openWebUi(embedded.uiUrl);
  page = ui.page;
  const phases = { sft: { params: long }, more: {}, last: { ...judgedOutside } };
  run = await embedded.client.workflow.start('postTrainingPipeline', {
    workflowId: 'steered',
    taskQueue: 'temper',
    args: [{ recipe: standInRecipe('steered', phases) }],
    staticSummary: 'Steered from its page',
  });
  await untilStep(site, site.attempt('steered', 'sft'), 12);
});
afterAll(async () => {
  await ui.close();
  await embedded.close();
});

const detailsOf = (): Locator => markdownOf(page, 'current-details').locator('main');

/** What the page of a run says once it says all of this; opened anew meanwhile, as a person does who waits for it. */
async function reads(workflowId: string, ...wanted: readonly (string | RegExp)[]): Promise<string> {
  const says = (text: string) =>
    wanted.every((want) => (typeof want === 'string' ? text.includes(want) : want.test(text)));
  const what = `${workflowId} says ${wanted.join(' and ')}`;
  return await eventually(what, 120, async () => {
    await ui.openRun(workflowId, 'user-metadata');
    return await textOnce(detailsOf(), what, says).catch(() => null);
  });
}

const steer = (name: string, input: object) => sendUpdate(ui, 'steered', { name, input });
const stateOf = async (phase: string) => (await phaseOf(run, phase))?.state;
const until = (phase: string, state: string) =>
  eventually(`${phase} is ${state}`, 180, async () => (await stateOf(phase)) === state);

describe('the list of updates', () => {
  it('has each with the shape of its input first, those that are sent most at its top', async () => {
    await openUpdates(ui, 'steered');
    const dialog = page.getByRole('dialog');
    await dialog.getByTestId('update-select-button').click();
    await dialog.getByRole('option').first().waitFor();
    const options = (await dialog.getByRole('option').allInnerTexts()).map((text) => text.split(/\n+/));
    expect(options.map(([name]) => name)).toEqual([
      ...['release', 'hold', 'retryPhase', 'promote', 'skipPhase', 'extendBudget', 'recordScore', 'Custom'],
    ]);
    const shapes = options
      .slice(0, -1)
      .map(([, description = '']) => /^\{.*\}(?=: |, (each|all))/.exec(description)?.[0]);
    for (const shape of shapes) expect(JSON.parse(shape ?? '')).toMatchObject({ by: 'you' });
    await takePicture(page, 'update-release', { from: dialog, height: 480 });
  });
});

describe('an update that cannot be done', () => {
  beforeAll(async () => {
    await openUpdates(ui, 'steered');
  });

  it.each([
    { name: 'release', input: {}, want: 'no phase is held now' },
    { name: 'promote', input: { phase: 'sft', checkpoint: 'sft-10' }, want: 'phase "sft" runs: hold it first' },
    { name: 'retryPhase', input: { phase: 'base' }, want: 'phase "base" is over (completed)' },
    { name: 'hold', input: { phase: 'sft', buy: 'you' }, want: 'buy: is no field here; did you mean "by"?' },
    { name: 'recordScore', input: { checkpoint: 'x', benchmark: 'coin', score: 1 }, want: 'there are: public' },
    {
      name: 'extendBudget',
      input: { budgets: { attempts: 1 } },
      want: 'budgets.attempts is 5, and is only made larger',
    },
    { name: 'skipPhase', input: { phase: 'stf' }, want: 'there is no phase "stf"; did you mean "sft"?' },
  ])('$name is refused in one line, in words', async ({ name, input, want }) => {
    expect(await refusal(page, { name, input }, want)).not.toMatch(/\bat .*\.ts:\d+/);
  });

  it('leaves the form open, with what was typed', async () => {
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('textbox', { name: 'Data' }).innerText()).toContain('stf');
    await takePicture(page, 'update-refused', { from: dialog, height: 540 });
  });
});

describe('a watchdog kill', () => {
  it('costs the steps since the last checkpoint: the page of the phase says what happened and where it went on', async () => {
    const directory = site.attempt('steered', 'sft');
    // What it wrote before it stopped is not written over.
    await signalTrainer(directory, 'SIGSTOP');
    await appendFile(runFiles(directory).log, `${watchdogLine}\n`);
    await signalTrainer(directory, 'SIGABRT');
    await signalTrainer(directory, 'SIGCONT');
    await untilStep(site, site.attempt('steered', 'sft', 2), 22);
    await reads(
      'steered/sft',
      'NCCL watchdog on rank 0 after 600 s in all-reduce at step',
      /Goes on from steered\/sft\/a1\/checkpoint-\d+ at step \d+/,
    );
    await takePicture(page, 'resumed', { from: tabsOf(page), height: 480 });
  });
});

describe('an update that can be done', () => {
  it('hold: the phase saves and is held, and its page says for whom and why', async () => {
    await steer('hold', { by: 'Ada', reason: 'the nodes are needed' });
    await until('sft', 'held');
    const text = await reads('steered', 'sft is held for a person');
    expect(text).toContain('Ada asked to hold it: the nodes are needed');
    expect(text).toContain('More Actions → Send an Update → release, with {"phase": "sft", "by": "you"}');
    await takePicture(page, 'held', { from: tabsOf(page), height: 560 });
  });

  it('release: it goes on from what it had saved', async () => {
    await steer('release', { by: 'Ada', reason: 'they are free' });
    await untilStep(site, site.attempt('steered', 'sft', 3), 32);
    await reads('steered/sft', 'released by Ada: they are free', /Goes on from .*step \d\d/);
    await run.executeUpdate('hold', { args: [{}] });
    await until('sft', 'held');
  });

  it('extendBudget: the phase says so, and stays held', async () => {
    await steer('extendBudget', { budgets: { attempts: 9 }, by: 'Ada' });
    await reads('steered/sft', 'Ada extended budgets.attempts to 9', 'held');
  });

  it('skipPhase: a phase that has not begun is not to begin', async () => {
    await steer('skipPhase', { phase: 'more', by: 'Ada', reason: 'no data' });
    expect(await site.ledger.decisionsOf({ runId: run.firstExecutionRunId, phase: 'more' })).toMatchObject([
      { answer: { message: 'skipPhase' }, evidence: { by: 'Ada', reason: 'no data' } },
    ]);
  });

  it('retryPhase: it begins anew with other parameters, which its page counts', async () => {
    const set = { 'params.learningRate': 0.01 };
    await steer('retryPhase', { phase: 'sft', set, by: 'Ada', reason: 'it diverged' });
    await untilStep(site, site.attempt('steered', 'sft', 4), 12);
    await reads('steered', 'with 1 field set', /sft\s+running\s+4/);
    await run.executeUpdate('hold', { args: [{}] });
    await until('sft', 'held');
  });

  it('promote: the phase ends with the checkpoint that is named, and the skipped one is passed over', async () => {
    const saved = await site.ledger.checkpointsOf({ runId: run.firstExecutionRunId, phase: 'sft' });
    const step = String(saved.at(-1)?.step);
    await steer('promote', { checkpoint: `sft-${step}`, by: 'Ada', reason: 'best by hand' });
    await until('last', 'held');
    const text = await reads('steered', 'last is held for a person');
    expect(text).toContain(`Ada promoted steered/sft/a4/checkpoint-${step}: best by hand`);
    expect(text).toContain('Ada had it skipped: no data');
    expect(text).toMatch(/more\s+skipped/);
    await takePicture(page, 'steered', { from: tabsOf(page), height: 700 });
  });

  it('recordScore: the gate that waited for it judges, and the pipeline comes to its end', async () => {
    const score = { checkpoint: 'steered/last/a1/checkpoint-10', benchmark: 'public', score: '40/50', by: 'Ada' };
    await steer('recordScore', score);
    await run.result();
    await reads('steered', 'is completed', /last\s+completed/);
  });
});
