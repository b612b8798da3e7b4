/**
 * The form Send an Update of a run's page, filled in as a person does it.
 *
 * Does not cover what an update does: that is read on the pages (browser.ts).
 */
import type { Page } from 'playwright-core';
import { textOnce, type WebUi } from './browser.ts';

export interface Message {
  readonly name: string;
  readonly input: object;
}

/** Opens it; nothing is chosen. */
export async function openUpdates(ui: WebUi, workflowId: string): Promise<void> {
  const { page } = ui;
  await ui.openRun(workflowId, 'timeline');
  await page.getByRole('button', { name: 'More Actions' }).click();
  await page.getByRole('menuitem', { name: 'Send an Update' }).click();
  await page.getByRole('dialog').getByTestId('update-select-button').waitFor();
}

/** Fills the open form in and presses its button. */
async function submit(page: Page, { name, input }: Message): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByTestId('update-select-button').click();
  await dialog.getByRole('option', { name: new RegExp(`^${name}\\b`) }).click();
  const data = dialog.getByRole('textbox', { name: 'Data' });
  await data.fill(JSON.stringify(input));
  await data.blur(); // the field sets it in lines, and the button moves
  await dialog.getByRole('button', { name: 'Submit' }).click();
}

/** What the open form says of an update that is refused, in words that have `want` in them. */
export async function refusal(page: Page, message: Message, want: string): Promise<string> {
  await submit(page, message);
  const box = page.getByRole('dialog').getByRole('alert').filter({ hasText: want });
  return await textOnce(box, want, (all) => all.includes(want));
}

/** Sends it; resolves when the form has closed, which it does once the update is done. Throws what the form says else. */
export async function sendUpdate(ui: WebUi, workflowId: string, message: Message): Promise<void> {
  await openUpdates(ui, workflowId);
  await submit(ui.page, message);
  const dialog = ui.page.getByRole('dialog');
  await dialog.waitFor({ state: 'hidden' }).catch(async (error: unknown) => {
    throw new Error(`${message.name}: ${(await dialog.getByRole('alert').allInnerTexts()).join(' ')}`, {
      cause: error,
    });
  });
}
