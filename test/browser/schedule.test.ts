/** A sweep's schedule, made by the form of the UI and triggered there: what a person reads on the sweep's page. */
import { type Page } from 'playwright-core';
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
import { startEmbedded, type Embedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { standInRecipe, standInSite } from '../support/stand-in-site.ts';

const sweep = { name: 'nightly-eval', benchmarks: ['coin'], seeds: 2, gpuHours: 1 };

let embedded: Embedded;
let ui: WebUi;
let page: Page;

beforeAll(async () => {
  embedded = await startEmbedded();
  const site = await standInSite(embedded, 'temper');
  await site.startWorker();
  ui = await openWebUi(embedded.uiUrl);
  page = ui.page;
  await (await site.start('swept', { recipe: standInRecipe('swept', { sft: {} }) })).result();
});
afterAll(async () => {
  await ui.close();
  await embedded.close();
});

it('is made by the form: at three every night in its zone, and hours late at most', async () => {
  await page.setViewportSize({ width: 1180, height: 2060 }); // all of the form at once
  await page.goto(`${embedded.uiUrl}/namespaces/default/schedules/create`);
  await page.getByLabel('Schedule Name').fill('nightly-eval');
  await page.getByLabel('Workflow Type').fill('evalSweep');
  await page.getByLabel('Task Queue').fill('temper');
  await page.locator('#timezoneName').fill('Europe/Berlin');
  await page.getByRole('option', { name: /^Europe\/Berlin/ }).click();
  const data = page.getByRole('textbox', { name: 'JSON Data' });
  await data.fill(JSON.stringify({ sweep }));
  await data.blur();
  await page.getByTestId(/^cron-string/).fill('0 3 * * *');
  await page.getByText('At 03:00, every day.').first().waitFor();
  const form = page.locator('form').filter({ has: page.getByTestId('create-schedule-button') });
  await page.getByLabel('Schedule Name').scrollIntoViewIfNeeded();
  await takePicture(page, 'schedule-form', { from: page.locator('main h1'), wide: form, height: 1790 });
  await page.getByRole('button', { name: 'Edit Schedule Policies' }).click();
  await page.getByLabel('Window').fill('6');
  await page.locator('#catchup-window-policy-duration-unit-select').selectOption({ label: 'hour(s)' });
  await page.getByRole('button', { name: 'Update Policies' }).click();
  await page.getByTestId('create-schedule-button').click();
  await page.waitForURL(/\/schedules$/);
  const { spec, policies, action } = await embedded.client.schedule.getHandle('nightly-eval').describe();
  expect(spec).toMatchObject({
    timezone: 'Europe/Berlin',
    calendars: [{ hour: [{ start: 3 }], minute: [{ start: 0 }] }],
  });
  expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 6 * 3_600_000 });
  expect(action).toMatchObject({ workflowType: 'evalSweep', args: [{ sweep }] });
});

it('triggered there runs, and its page has the scores of what was due', async () => {
  await page.goto(`${embedded.uiUrl}/namespaces/default/schedules/nightly-eval`);
  await page.getByRole('button', { name: 'Schedule Actions' }).click();
  await takePicture(page, 'schedule', { from: page.locator('main h1'), wide: page.locator('main'), height: 560 });
  await page.getByRole('menuitem', { name: 'Trigger' }).click();
  await page.getByRole('dialog').getByTestId('confirm-modal-button').filter({ hasText: 'Trigger' }).click();
  const { workflowId } = await eventually('the sweep has begun', 60, async () => {
    const { info } = await embedded.client.schedule.getHandle('nightly-eval').describe();
    return info.recentActions.at(-1)?.action.workflow ?? null;
  });
  await embedded.client.workflow.getHandle(workflowId).result();
  await ui.openRun(workflowId, 'user-metadata');
  const frame = markdownOf(page, 'current-details');
  const text = await textOnce(frame.locator('main'), 'the end', (all) => all.includes('completed'));
  expect(text).toMatch(/nightly-eval, completed: 2 evaluations in .*, nothing to compare with yet/);
  const [head, ...rows] = await cellsOf(frame.locator('table').first());
  expect(head).toEqual(['checkpoint', 'whose', 'mean', '95 %', 'seeds']);
  expect(rows.map(([checkpoint, whose, , , seeds]) => [checkpoint, whose, seeds])).toEqual([
    ['swept/sft 10', 'champion', '2'],
  ]);
  for (const row of await frame.locator('tr').all())
    for (const gap of await gapsBetweenCells(row)) expect(gap).toBeGreaterThan(8);
  const [seen, table] = [
    await page.locator('#user-metadata-current-details').boundingBox(),
    await frame.locator('table').first().boundingBox(),
  ];
  expect((table?.x ?? 0) + (table?.width ?? 0)).toBeLessThanOrEqual((seen?.x ?? 0) + (seen?.width ?? 0));
  await takePicture(page, 'sweep', { from: tabsOf(page), height: 420 });
});
