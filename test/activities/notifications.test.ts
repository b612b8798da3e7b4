/** Telling a person, over a real HTTP server and a real ledger: at least once, and not again once it was sent. */
import type { NotificationEnd, NotificationInput } from '../../activities/notifications.ts';
import { createActivities } from '../../activities/index.ts';
import { profileSchema } from '../../configs/schema.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { slackWebhook } from '../../workers/slack-webhook.ts';
import { activityBench, type ActivityBench, runId, startAttempt } from '../support/activity-bench.ts';
import { chatServer, type ChatServer } from '../support/chat-server.ts';

let bench: ActivityBench;
let chat: ChatServer;
beforeEach(async () => {
  bench = await activityBench();
  chat = await chatServer();
});
afterEach(async () => {
  await chat.close();
  await bench.close();
});

const input: NotificationInput = {
  context: { pipelineId: 'demo', runId: 'run-1', profile: 'local', phase: 'sft' },
  event: 'held',
  cause: 'attempt 3 at step 20: killed: rank 0 was ended by SIGKILL. Holds for a person.',
  key: 'demo/sft/notice-1',
};
const profile = profileSchema.parse({ name: 'local', backend: 'local', notify: { slackWebhook: { env: 'ALERTS' } } });

/** One try, as the worker makes it. */
async function tell(more: Partial<NotificationInput> = {}, address = chat.address('T0/secret')) {
  const activities = createActivities({
    ...bench.dependencies,
    placeOf: (name) => ({ ...bench.dependencies.placeOf(name), profile }),
    webhook: slackWebhook({ environment: { ALERTS: address }, timeoutSeconds: 0.3 }),
  });
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR', () => undefined) });
  return await environment.run<[NotificationInput], NotificationEnd, typeof activities.notify>(
    (given) => activities.notify(given),
    { ...input, ...more },
  );
}
const rows = () => bench.ledger.notificationsOf({ runId: 'run-1' });
const textsHeard = () => chat.received.map(({ body }) => (body as { text: string }).text);

test('is sent once, with the phase, the cause, the command and the address of the page', async () => {
  expect(await tell()).toEqual({ kind: 'sent', sentence: 'A person was told that the phase is held.' });
  expect(textsHeard()[0]).toMatch(
    /phase sft is held[^]*SIGKILL[^]*temper release demo --phase sft[^]*temporal\.example\/demo\/run-1$/,
  );
  expect(await rows()).toMatchObject([{ key: input.key, tries: 1, sentAt: '2026-11-29T10:00:00.000Z', problem: null }]);
});

test('asked again after its reply was lost, an activity whose message was sent sends nothing', async () => {
  await tell();
  expect(await tell()).toMatchObject({ kind: 'sent' });
  expect(chat.received).toHaveLength(1);
});

test('two events are two messages', async () => {
  await tell();
  await tell({ key: 'demo/sft/notice-2' });
  expect(chat.received.map(({ key }) => key)).toEqual(['demo/sft/notice-1', 'demo/sft/notice-2']);
});

test('down, then in trouble, then slow, then there again: it is tried until it is sent, and says when it may be a repetition', async () => {
  const address = chat.address('T0/secret');
  const port = Number(new URL(address).port);
  await chat.close();
  await expect(tell({}, address)).rejects.toMatchObject({ type: 'webhook-unavailable', nonRetryable: false });
  chat = await chatServer(port);
  chat.answers({ status: 500 });
  await expect(tell({}, address)).rejects.toThrow(/not sent after 2 tries \(the webhook answered 500\)/);
  chat.answers('never');
  await expect(tell({}, address)).rejects.toThrow(/did not answer within 0\.3 s/);
  chat.answers({ status: 200 });
  bench.pass(600);
  expect(await tell({}, address)).toEqual({
    kind: 'sent',
    sentence: 'A person was told that the phase is held at the 4th try, after 10 min.',
  });
  const repeats = textsHeard().map((text) => text.includes('may have been told before'));
  expect(repeats).toEqual([false, false, true]);
});

test('a worker that was killed in the middle of a try leaves it open whether it arrived', async () => {
  await bench.ledger.openNotification({ ...input, runId: 'run-1', phase: 'sft', at: '2026-11-29T10:00:00.000Z' });
  await bench.ledger.recordNotificationTry(input.key);
  await tell();
  expect(textsHeard()[0]).toMatch(/may have been told before/);
});

test('a server that asks for patience is asked again when it said', async () => {
  chat.answers({ status: 429, headers: { 'retry-after': '30' } });
  await expect(tell()).rejects.toMatchObject({ nextRetryDelay: 30_000 });
});

test('an address that is not known is not tried again, and explain says so, without the address', async () => {
  await bench.as(runId).openPipeline({
    pipelineId: 'demo',
    runId: 'run-1',
    resolved: { recipe: { name: 'small' } } as unknown as ResolvedPipeline,
  });
  await startAttempt(bench);
  chat.answers({ status: 404 });
  expect(await tell()).toMatchObject({ kind: 'refused' });
  const story = await bench.ask({ question: 'explain', pipeline: 'demo' });
  expect(story.phases[0]?.events.at(-1)).toEqual({
    at: '2026-11-29T10:00:00.000Z',
    about: 'notification',
    attempt: null,
    sentence:
      'A person was to be told that the phase is held, and it is not tried again: the webhook answered 404 (is its address still right?).',
    lines: [input.cause],
  });
  expect(JSON.stringify([story, await rows()])).not.toContain('secret');
});

test('a profile that names nobody any more tells nobody', async () => {
  expect(await bench.as(runId).notify(input)).toMatchObject({ kind: 'nobody' });
  expect(await rows()).toEqual([]);
});
