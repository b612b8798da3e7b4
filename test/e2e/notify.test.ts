/** A night's trouble reaches a person, over real workers that are killed and a real chat that is down at first. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { chatServer, type ChatServer } from '../support/chat-server.ts';
import { phaseOf, startEmbedded, type Embedded, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';

let embedded: Embedded;
let site: Site;
let chat: ChatServer;
let port: number;
const secret = 'T0/B0/very-secret';

/** Ends with "configuration" where the pipeline is called so; else holds its slot. */
const trainer = ['/bin/sh', '-c', 'grep -q \'"pipeline": *"failing"\' "$TEMPER_REQUEST" && exit 78; exec sleep 600'];

beforeAll(async () => {
  embedded = await startEmbedded();
  const profiles = join(embedded.folder, 'profiles');
  await mkdir(profiles);
  const profile = { name: 'local', backend: 'local', slots: 1, trainer, notify: { slackWebhook: { env: 'ALERTS' } } };
  await writeFile(join(profiles, 'local.yaml'), JSON.stringify(profile));
  chat = await chatServer();
  port = Number(new URL(chat.address('')).port);
  site = await embedded.site('notify', { TEMPER_PROFILES: profiles, ALERTS: chat.address(secret) });
});
afterAll(async () => {
  await chat.close();
  await embedded.close();
});

const textOf = (index: number) => (chat.received[index]?.body as { text: string } | undefined)?.text;
const runIdOf = async (pipeline: Pick<WorkflowHandle, 'describe'>) => (await pipeline.describe()).runId;

it('a failure is told when the chat is up again, though the pipeline has ended and its worker was killed: once', async () => {
  await chat.close();
  const worker = await site.startWorker();
  const pipeline = await site.start('failing', { recipe: await shortRecipe(['base'], careless) });
  await expect(pipeline.result()).rejects.toThrow();
  const of = { runId: await runIdOf(pipeline) };
  await eventually('a try was made', 600, async () => (await site.ledger.notificationsOf(of))[0]?.problem ?? null);
  await worker.kill();
  chat = await chatServer(port);
  await site.startWorker();
  await chat.heard(1);
  expect(textOf(0)).toMatch(/^\*failing: phase base failed[^]*exit code 78[^]*temper explain failing base/);
  const [told] = await eventually('the ledger knows', 600, async () => {
    const rows = await site.ledger.notificationsOf(of);
    return rows[0]?.sentAt ? rows : null;
  });
  expect(told).toMatchObject({ event: 'failed', problem: null, refused: false });
  expect(told?.tries).toBeGreaterThan(1);
  expect(chat.received).toHaveLength(1);
});

it('a job that waits too long for a slot is held and told, its place given up; what holds the slot runs on', async () => {
  const holder = await site.start('holder', { recipe: await shortRecipe(['base'], careless) });
  await eventually('the slot is taken', 600, async () => {
    const attempts = await site.ledger.attemptsOf({ workflowId: 'holder', phase: 'base' });
    return attempts[0]?.state === 'running';
  });
  const recipe = { ...(await shortRecipe(['base'], careless)), budgets: { waitMinutes: 0.05 } };
  const waiter = await site.start('waiter', { recipe });
  const held = await eventually('it is held', 600, async () => {
    const phase = await phaseOf(waiter, 'base');
    return phase?.state === 'held' ? phase : null;
  });
  expect(held.note).toMatch(
    /^held: attempt 1, .*: it waited \d+ s for its place in the queue \(waits .*waited \d+ s of at most 3 s/,
  );
  await chat.heard(2);
  expect(textOf(1)).toMatch(/^\*waiter: phase base is held[^]*temper release waiter --phase base/);
  const attempts = await site.ledger.attemptsOf({ workflowId: 'waiter', phase: 'base' });
  expect(attempts.map(({ state }) => state)).toEqual(['failed']);
  expect(await site.ledger.incidentsOf({ runId: await runIdOf(waiter), phase: 'base' })).toMatchObject([
    { class: 'quota', because: { rule: 'waited' } },
  ]);
  expect((await phaseOf(holder, 'base'))?.state).toBe('running');
  await waiter.cancel();
  await holder.cancel();
  await expect(holder.result()).rejects.toThrow();
});

it('nothing that is kept holds the address of the chat', async () => {
  const rows = await site.ledger.notificationsOf({
    runId: await runIdOf(embedded.client.workflow.getHandle('failing')),
  });
  const runs = ['failing', 'failing/base', 'waiter', 'waiter/base', ...rows.map(({ key }) => key)];
  const texts = await Promise.all(runs.map((id) => textsIn(embedded.client.workflow.getHandle(id))));
  expect(texts[0]).toContain('"notify":{"slackWebhook":{"env":"ALERTS"}}');
  for (const text of [...texts, JSON.stringify(rows)]) expect(text).not.toContain('very-secret');
});

/** Every value that a history holds, which it keeps as base64, and its own words. */
async function textsIn(handle: WorkflowHandle): Promise<string> {
  const text = historyToJSON(await handle.fetchHistory());
  const payloads = [...text.matchAll(/"data": ?"([^"]*)"/g)];
  return [text, ...payloads.map(([, data]) => Buffer.from(data ?? '', 'base64').toString())].join('\n');
}
