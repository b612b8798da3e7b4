/**
 * The Web UI of a Temporal server in a real browser, read as a person reads it.
 *
 * Covers finding what stands on a page and taking pictures of it. Waits for what is rendered, never for a fixed time.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { eventually } from './eventually.ts';

export interface WebUi {
  readonly page: Page;
  /** Opens a tab of a run's page, for example `timeline`, `user-metadata`, `query`. */
  openRun(workflowId: string, tab: string): Promise<void>;
  close(): Promise<void>;
}

const shown = { width: 1180, height: 1300 };
/** Around a picture. Pixels. */
const margin = { above: 8, beside: 30 };
const mostPictureBytes = 150_000;

/** Needs TEMPER_CHROMIUM, as `npm run test:browser` gives it. */
export async function openWebUi(url: string): Promise<WebUi> {
  const { TEMPER_CHROMIUM: executablePath } = process.env;
  if (!executablePath) throw new Error('these tests are run by `npm run test:browser`, which finds a browser');
  // A sandbox of its own needs rights that a container does not give to root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args });
  const context = await browser.newContext({
    viewport: shown,
    timezoneId: 'UTC',
    locale: 'en-US',
    reducedMotion: 'reduce',
    colorScheme: 'light',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return {
    page,
    async openRun(workflowId, tab) {
      await page.goto(`${url}/namespaces/default/workflows/${encodeURIComponent(workflowId)}`);
      await page.waitForURL(/\/timeline$/);
      if (tab !== 'timeline') await page.goto(page.url().replace(/timeline$/, tab));
    },
    close: () => browser.close(),
  };
}

/** What the markdown of a part of the tab `user-metadata` became. */
export function markdownOf(page: Page, part: 'summary' | 'details' | 'current-details'): FrameLocator {
  return page.frameLocator(`#user-metadata-${part}`);
}

/** The cells of a rendered table, row by row, as a person reads them. */
export async function cellsOf(table: Locator): Promise<string[][]> {
  const rows = await table.locator('tr').all();
  return await Promise.all(
    rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).map((cell) => cell.trim())),
  );
}

/** What of a page's elements is looked at; it is the browser that has them. */
interface Cell {
  readonly textContent: string;
  readonly firstChild: object | null;
  readonly ownerDocument: { createRange(): Range };
}
interface Range {
  selectNodeContents(node: object): void;
  setEnd(node: object, offset: number): void;
  getBoundingClientRect(): { readonly left: number; readonly right: number };
}

/** Pixels between the text of each cell of a row and the text of the next one; cells are plain text, and empty ones do not count. */
export async function gapsBetweenCells(row: Locator): Promise<number[]> {
  const edges = await row.locator('th, td').evaluateAll((cells: readonly Cell[]) =>
    cells.map((cell) => {
      const text = cell.textContent.trimEnd();
      if (text === '' || cell.firstChild === null) return null;
      const range = cell.ownerDocument.createRange();
      range.selectNodeContents(cell);
      range.setEnd(cell.firstChild, text.length);
      const { left, right } = range.getBoundingClientRect();
      return { left, right };
    }),
  );
  const filled = edges.filter((edge) => edge !== null);
  return filled.slice(1).map(({ left }, index) => left - (filled[index]?.right ?? 0));
}

/** What `locator` shows, once `isIt` says that it is what is waited for. */
export async function textOnce(locator: Locator, what: string, isIt: (text: string) => boolean): Promise<string> {
  return await eventually(`${what} on the page`, 60, async () => {
    const text = await locator
      .first()
      .innerText({ timeout: 1000 })
      .catch(() => '');
    return isIt(text) ? text : null;
  });
}

export interface Picture {
  /** Where it begins: the upper edge of this. */
  readonly from: Locator;
  /** As wide as this; as `from` when it is not named. */
  readonly wide?: Locator;
  /** Pixels. */
  readonly height: number;
  /** Covered: what names the machine. */
  readonly hidden?: readonly Locator[];
}

/** A picture for the docs (TEMPER_PICTURES is the folder). */
export async function takePicture(page: Page, name: string, picture: Picture): Promise<void> {
  const { TEMPER_PICTURES: folder } = process.env;
  if (!folder) throw new Error('TEMPER_PICTURES is not set');
  const { from, wide = from, height, hidden = [] } = picture;
  const [top, sides] = [await from.boundingBox(), await wide.boundingBox()];
  if (top === null || sides === null) throw new Error(`nothing to take a picture of: ${name}`);
  const path = join(folder, `${name}.png`);
  const [x, y] = [sides.x - margin.beside, top.y - margin.above];
  const clip = { x, y, width: sides.width + 2 * margin.beside, height: height + margin.above };
  await page.screenshot({ path, clip, animations: 'disabled', mask: [...hidden], maskColor: '#d6e0f0' });
  const { size } = statSync(path);
  if (size > mostPictureBytes) throw new Error(`${path} has ${String(size)} bytes, above ${String(mostPictureBytes)}`);
}

/** The tabs of a run's page. */
export function tabsOf(page: Page): Locator {
  return page.getByRole('tablist', { name: 'workflow detail' });
}
