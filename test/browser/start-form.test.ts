/** From the link that Temper prints to a running pipeline, and what a person reads who typed nonsense. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jobLives } from '../../local/job-status.ts';
import { startForm } from '../../workers/start-form.ts';
import { makeStartFormLink } from '../../workers/start-form-link.ts';
import { markdownOf, openWebUi, tabsOf, takePicture, textOnce, type WebUi } from '../support/browser.ts';
import { startEmbedded, untilStep, type Embedded, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';

const input = { recipe: 'tiny', set: { 'phases.sft.params.learningRate': 0.005 } };

let embedded: Embedded;
let ui: WebUi;
let site: Site;
let link: string;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site('temper');
  await site.startWorker();
  ui = await openWebUi(embedded.uiUrl);
  link = await startForm(embedded.client, { uiUrl: embedded.uiUrl, taskQueue: 'temper' });
});
afterAll(async () => {
  await ui.close();
  await embedded.close();
});

const dataField = () => ui.page.getByRole('textbox', { name: 'Data' });
const failed = () => ui.page.getByText('Failed', { exact: true }).filter({ visible: true }).first();
const startButton = () => ui.page.getByRole('button', { name: 'Start Workflow' });

async function openForm(): Promise<void> {
  await ui.page.goto(link);
  await textOnce(dataField(), 'the example', (text) => text.includes('recipe'));
}

/** And opens the page of what it started, by the link that the UI answers with. */
async function pressStart(): Promise<void> {
  await startButton().click();
  await ui.page.getByRole('link', { name: 'Workflow started successfully' }).click();
  await ui.page.waitForURL(/\/timeline$/);
}

describe('the link to the start form', () => {
  it('opens it filled in, but for the id, which a person gives', async () => {
    await openForm();
    const { page } = ui;
    expect(await page.locator('#taskQueue').inputValue()).toBe('temper');
    expect(await page.locator('#workflowType').inputValue()).toBe('postTrainingPipeline');
    expect(JSON.parse(await dataField().innerText())).toEqual(input);
    expect(await page.locator('#workflowId').inputValue()).toBe('');
    expect(await startButton().isEnabled()).toBe(false);
    await page.getByText('Task Queue is Active').waitFor();
    await page.locator('#workflowId').fill('my-first');
    await takePicture(page, 'start-form', {
      from: page.locator('h1'),
      wide: page.getByRole('status').filter({ hasText: 'Active' }),
      height: 790,
    });
  });

  it('works again when it was made again', async () => {
    const again = await makeStartFormLink(embedded.client, {
      uiUrl: embedded.uiUrl,
      taskQueue: 'temper',
      input: { recipe: 'tiny' },
      summary: 'Another example',
      details: '',
    });
    await ui.page.goto(again);
    const text = await textOnce(dataField(), 'the example', (data) => data.includes('recipe'));
    expect(JSON.parse(text)).toEqual({ recipe: 'tiny' });
  });
});

/** Whether the job of the newest attempt runs. */
async function lives(): Promise<boolean> {
  const attempts = await site.ledger.attemptsOf({ workflowId: 'from-the-form', phase: 'base' });
  const { number, jobUid } = attempts.at(-1) ?? {};
  return await jobLives(site.attempt('from-the-form', 'base', number), jobUid ?? '');
}

describe('pressing Start', () => {
  it('runs a pipeline, whose page opens with its first phase in the timeline', async () => {
    await openForm();
    const { page } = ui;
    await page.locator('#workflowId').fill('from-the-form');
    await pressStart();
    await page.getByText('base: the model it all starts from, 480 steps').first().waitFor();
    await page.goto(page.url().replace('timeline', 'user-metadata'));
    await page.frameLocator('#user-metadata-summary').getByText('A pipeline from the start form').waitFor();

    const run = embedded.client.workflow.getHandle('from-the-form');
    expect((await run.query<{ changed: string[] }>('plan')).changed).toEqual(['phases.sft.params.learningRate']);
  });

  it('Request Cancellation: the job saves and ends, and the page says that it is cancelled', async () => {
    await untilStep(site, site.attempt('from-the-form', 'base'), 1);
    await ui.openRun('from-the-form', 'timeline');
    const { page } = ui;
    await page.getByRole('button', { name: 'Request Cancellation' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(embedded.client.workflow.getHandle('from-the-form').result()).rejects.toThrow();
    expect(await lives()).toBe(false);
    await ui.openRun('from-the-form', 'user-metadata');
    const text = await textOnce(markdownOf(page, 'current-details').locator('main'), 'its end', (all) =>
      all.includes('cancelled'),
    );
    expect(text).toMatch(/base\s+cancelled\s+1/);
  });

  it('Start Workflow Like This One: the form has its id and its input, and the new run goes on from what was saved', async () => {
    await ui.openRun('from-the-form', 'timeline');
    const { page } = ui;
    await page.getByRole('button', { name: 'More Actions' }).click();
    await page.getByRole('menuitem', { name: 'Start Workflow Like This One' }).click();
    await textOnce(dataField(), 'the input', (text) => text.includes('learningRate'));
    expect(await page.locator('#workflowId').inputValue()).toBe('from-the-form');
    expect(JSON.parse(await dataField().innerText())).toEqual(input);
    await pressStart();
    const { step: saved } = (await site.runs.lastProgress(site.attempt('from-the-form', 'base'))) ?? { step: 0 };
    expect(saved).toBeGreaterThan(0);
    const second = site.attempt('from-the-form', 'base', 2);
    await untilStep(site, second, saved);
    const { resume } = JSON.parse(await readFile(join(second, 'request.json'), 'utf8')) as { resume: unknown };
    expect(resume).toMatchObject({ step: saved });
    expect(await lives()).toBe(true);

    await page.goto(page.url()); // without the green note that it was started
    await page.getByRole('button', { name: 'More Actions' }).click();
    await page.getByRole('menuitem', { name: 'Terminate' }).click();
    await page.getByRole('dialog').getByTestId('confirm-modal-button').filter({ visible: true }).click();
    await eventually('the job of a terminated pipeline has ended', 60, async () => !(await lives()));
  });

  it.each([
    {
      id: 'wrong-field',
      text: '{"recipe": "tiny", "profle": "local"}',
      want: 'profle: is no field here; did you mean "profile"?',
    },
    {
      id: 'wrong-set',
      text: '{"recipe": "tiny", "set": {"phases.sft.params.learningRte": 0.1}}',
      want: 'phases.sft.params.learningRte: is no field here; did you mean "learningRate"?',
    },
    { id: 'wrong-recipe', text: '{"recipe": "tinny"}', want: 'no recipe is named "tinny"' },
    { id: 'no-group', text: '"tiny"', want: 'is "tiny", and must be a group of fields' },
  ])('on nonsense ($id) ends FAILED, and the first tab says which field', async ({ id, text, want }) => {
    await openForm();
    const { page } = ui;
    await page.locator('#workflowId').fill(id);
    await dataField().fill(text);
    await dataField().blur(); // the field sets it in lines, and the button moves
    await pressStart();
    await textOnce(page.locator('main'), want, (all) => all.replaceAll('\\"', '"').includes(want));
    await failed().waitFor();
    if (id !== 'wrong-set') return;
    await ui.openRun(id, 'timeline'); // without the green note that it was started
    await failed().waitFor();
    await takePicture(page, 'start-refused', { from: page.locator('main h1'), wide: tabsOf(page), height: 800 });
  });
});
