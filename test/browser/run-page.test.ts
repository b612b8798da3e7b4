/** The pages of pipelines that run, that have completed and that have failed: what a person reads on each tab. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { JobHeartbeat } from '../../workflows/contract.ts';
import {
  cellsOf,
  gapsBetweenCells,
  markdownOf,
  openWebUi,
  tabsOf,
  takePicture,
  textOnce,
  type WebUi,
} from '../support/browser.ts';
import { signalTrainer, startEmbedded, type Embedded, type PipelineHandle, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { shortRecipe } from '../support/short-recipe.ts';

/** What somebody else wrote, in every way in which a page could take it for more than text. */
const foreign = '<b>bold</b> | [click](x) `code` <img src=x> --set ...';

const baseSteps = { 'phases.base.params.steps': 60, 'phases.base.params.checkpointEvery': 20 };
const fewEvaluations = {
  'phases.sft.evaluate': { benchmarks: ['addition'], seeds: 1, maxSeeds: 1 },
  'phases.bake.evaluate': undefined,
  'phases.bake.gate': [],
};

let embedded: Embedded;
let ui: WebUi;
let page: Page;
let site: Site;
let straight: PipelineHandle;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site('temper');
  await site.startWorker();
  ui = await openWebUi(embedded.uiUrl);
  page = ui.page;
  straight = await site.start('my-first', {
    recipe: await shortRecipe(['base', 'sft', 'bake'], { ...baseSteps, ...fewEvaluations }),
  });
});
afterAll(async () => {
  await ui.close();
  await embedded.close();
});

describe('while a phase trains', () => {
  it('the pending activity shows the job, its state and its step as JSON', async () => {
    const base = site.attempt('my-first', 'base');
    await eventually('the base trains', 120, async () => {
      const progress = await site.runs.lastProgress(base);
      return progress?.doing === 'training';
    });
    // Held there until the page is read.
    await signalTrainer(base, 'SIGSTOP');
    try {
      await readsPending();
    } finally {
      await signalTrainer(base, 'SIGCONT');
    }
  });

  async function readsPending(): Promise<void> {
    await ui.openRun('my-first/base', 'pending-activities');
    const text = await textOnce(page.locator('main'), 'the heartbeat', (all) => all.includes('"doing": "training"'));
    expect(text).toContain('awaitJob');
    const heartbeat = JSON.parse(text.slice(text.indexOf('{\n'), text.lastIndexOf('}') + 1)) as JobHeartbeat;
    expect(heartbeat).toMatchObject({ state: 'running', of: 60, doing: 'training' });
    expect(heartbeat.job).toContain('my-first-base');
    await takePicture(page, 'pending-activity', {
      from: tabsOf(page),
      height: 560,
      hidden: [page.getByText(/^\d+@/)],
    });
  }
});

describe('a completed pipeline', () => {
  beforeAll(async () => {
    await straight.result();
  }, 1_200_000);

  it('has a timeline whose bars say what was done', async () => {
    await ui.openRun('my-first', 'timeline');
    const rows = await textOnce(page.locator('main'), 'the timeline', (all) => all.includes('bake: merge into MXFP4'));
    for (const name of [
      'resolvePipeline • resolve the recipe',
      'openPipeline • open the pipeline',
      'base: the model it all starts from, 60 steps',
      'sft: supervised fine-tuning, 40 steps',
    ])
      expect(rows).toContain(name);
    // The reports of the phases are signals, and not what a person looks for.
    await page.getByRole('button', { name: 'Filter' }).first().click();
    await page.getByTestId('Signal').click();
    await page.keyboard.press('Escape');
    await page.getByText('phaseReport').first().waitFor({ state: 'detached' });
    await takePicture(page, 'timeline', {
      from: page.getByRole('heading', { name: 'Timeline' }),
      wide: tabsOf(page),
      height: 350,
    });

    await ui.openRun('my-first/sft', 'timeline');
    const ofPhase = await textOnce(page.locator('main'), 'the timeline', (all) => all.includes('promote checkpoint'));
    for (const name of ['submitJob • sft attempt 1: start the job', 'sft step 40: evaluation on addition'])
      expect(ofPhase).toContain(name);
  });

  it('shows where each phase stands in a table whose cells stand apart', async () => {
    await ui.openRun('my-first', 'user-metadata');
    const frame = markdownOf(page, 'current-details');
    await frame.getByText('completed').first().waitFor();
    expect(await frame.locator('main').innerText()).toContain('tiny on local is completed');
    const [head, ...rows] = await cellsOf(frame.locator('table').first());
    expect(head).toEqual(['phase', 'state', 'attempt', 'step', 'score']);
    expect(rows.map((cells) => cells.slice(0, 4))).toEqual([
      ['base', 'completed', '1', '60/60'],
      ['sft', 'completed', '1', '40/40'],
      ['bake', 'completed', '1', ''],
    ]);
    expect(rows[1]?.[4]).toMatch(/^\d\.\d{3}$/);
    for (const row of await frame.locator('tr').all())
      for (const gap of await gapsBetweenCells(row)) expect(gap).toBeGreaterThan(8);
    const [candidates] = await cellsOf(frame.locator('table').nth(1));
    expect(candidates).toEqual(['candidate', 'n', 'mean', '95 %', 'verdict']);
    await takePicture(page, 'current-details', { from: tabsOf(page), height: 520 });
  });

  it('keeps its tables inside the page', async () => {
    const frame = markdownOf(page, 'current-details');
    const seen = await page.locator('#user-metadata-current-details').boundingBox();
    for (const each of await frame.locator('table').all()) {
      const table = await each.boundingBox();
      expect((table?.x ?? 0) + (table?.width ?? 0)).toBeLessThanOrEqual((seen?.x ?? 0) + (seen?.width ?? 0));
    }
  });

  it('leads from each phase to its own page', async () => {
    const link = markdownOf(page, 'current-details').getByRole('link', { name: 'sft', exact: true });
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.waitForURL(/\/workflows\/my-first%2Fsft\//);
    await opened.getByText('trainPhase').first().waitFor();
    await opened.close();
  });

  it('says of a phase what it trains, in its summary and details', async () => {
    await ui.openRun('my-first/sft', 'user-metadata');
    await markdownOf(page, 'summary').getByText('sft: supervised fine-tuning, 40 steps').waitFor();
    const details = await markdownOf(page, 'details').locator('main').innerText();
    expect(details).toContain('Starts from my-first/base/a1/checkpoint-60. Evaluated on addition.');
    expect(details).toContain('lora: {"rank":8,"alpha":16,"targets":["q","k","v","o"]}');
  });

  it('answers its queries as JSON, each with a description', async () => {
    await ui.openRun('my-first', 'query');
    await page.getByTestId('query-select-button').click();
    for (const [name, description] of [
      ['status', 'No input. Where each phase stands'],
      ['leaderboard', 'No input. Every evaluated candidate with its numbers'],
      ['plan', 'No input. The recipe and profile as they were resolved: what runs'],
    ] as const)
      expect(await page.getByRole('option', { name }).innerText()).toMatch(new RegExp(`^${name}\\s+${description}$`));
    await page.getByRole('option', { name: 'status' }).click();
    await answered('"recipe": "tiny"', '"phase": "base"', '"state": "completed"', '"step": 60');
    await takePicture(page, 'query-status', { from: tabsOf(page), height: 640 });
    await ask('leaderboard');
    await answered('"rows"', '"checkpoint": "my-first/base/a1/checkpoint-60"', '"benchmark": "addition"');
    await ask('plan');
    await answered('"recipe": {', '"name": "tiny"', '"seed": 1');
  });

  it('is found by its state, phase, model and score', async () => {
    await ui.openRun('my-first', 'search-attributes');
    const text = await textOnce(page.locator('main'), 'the attributes', (all) => all.includes('TemperScore'));
    for (const line of ['"TemperState": "completed"', '"TemperPhase": "bake"', '"TemperModel": "tiny"'])
      expect(text).toContain(line);
    expect(text).toMatch(/"TemperScore": \d/);
  });
});

describe('text from outside', () => {
  it('is text on the page: no tag, no link, no cell of its own', async () => {
    const path = join(site.store, foreign);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'config.json'), '{}');
    const recipe = await shortRecipe(['base'], { model: { path, format: 'hf' }, 'phases.base.params.steps': 0 });
    const run = await site.start('foreign', { recipe });
    await expect(run.result()).rejects.toThrow();
    for (const id of ['foreign', 'foreign/base']) {
      await ui.openRun(id, 'user-metadata');
      const frame = markdownOf(page, 'current-details');
      const text = await textOnce(frame.locator('main'), 'the failure', (all) => all.includes('failed'));
      expect(text).toContain(`${path} is not a model`);
      expect(await frame.locator('b, img').count()).toBe(0);
      expect(await frame.getByRole('link', { name: 'click' }).count()).toBe(0);
      for (const row of await cellsOf(frame.locator('table').first())) expect(row).toHaveLength(5);
    }
  });
});

async function ask(query: string): Promise<void> {
  await page.getByTestId('query-select-button').click();
  await page.getByRole('option', { name: query }).click();
}

/** Presses the button; the answer, as far as it is in sight, has these in it. */
async function answered(first: string, ...more: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: 'Run Query' }).click();
  const shown = page.getByRole('textbox', { name: 'Query Result' });
  const text = await textOnce(shown, first, (all) => all.includes(first));
  for (const line of more) expect(text).toContain(line);
}
