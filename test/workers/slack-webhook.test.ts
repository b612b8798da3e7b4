/** The webhook against a real HTTP server that is down, slow, broken, in trouble, or not there any more. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatServer, type ChatServer } from '../support/chat-server.ts';
import { slackWebhook } from '../../workers/slack-webhook.ts';

let chat: ChatServer;
beforeEach(async () => {
  chat = await chatServer();
});
afterEach(() => chat.close());

const secret = 'T0/B0/very-secret';
const message = { to: { slackWebhook: { env: 'ALERTS' } }, text: 'sft is held', key: 'demo/sft/notice-1' };
const send = (address = chat.address(secret), more: Partial<typeof message> = {}) =>
  slackWebhook({ environment: { ALERTS: address }, timeoutSeconds: 0.3 }).send({ ...message, ...more });

test('arrives as Slack wants it, with a key that a receiver can tell doubles by', async () => {
  expect(await send()).toEqual({ kind: 'sent' });
  expect(chat.received).toEqual([{ path: `/${secret}`, key: message.key, body: { text: 'sft is held' } }]);
});

test('a user and a password in the address go where a request has them', async () => {
  expect(await send(chat.address(secret).replace('//', '//alerts:50%25%@'))).toEqual({ kind: 'sent' });
  const authorization = `Basic ${Buffer.from('alerts:50%%').toString('base64')}`;
  expect(chat.received).toMatchObject([{ path: `/${secret}`, authorization }]);
});

test.each([
  {
    title: 'in trouble',
    status: 500,
    want: { kind: 'unavailable', problem: 'the webhook answered 500', retryAfterSeconds: null },
  },
  {
    title: 'that asks for patience',
    status: 429,
    headers: { 'retry-after': '30' },
    want: { kind: 'unavailable', problem: 'the webhook answered 429', retryAfterSeconds: 30 },
  },
  {
    title: 'that asks for more than anybody waits',
    status: 503,
    headers: { 'retry-after': '86400' },
    want: { kind: 'unavailable', problem: 'the webhook answered 503', retryAfterSeconds: 600 },
  },
  {
    title: 'that does not know the address',
    status: 404,
    want: { kind: 'refused', problem: 'the webhook answered 404 (is its address still right?)' },
  },
  {
    title: 'that sends elsewhere',
    status: 302,
    headers: { location: 'http://127.0.0.1:1/' },
    want: { kind: 'refused', problem: 'the webhook answered 302 (is its address still right?)' },
  },
])('a server $title', async ({ status, headers, want }) => {
  chat.answers({ status, ...(headers ? { headers } : {}) });
  expect(await send()).toEqual(want);
});

test('a slow server may have heard it: nobody knows', async () => {
  chat.answers('never');
  expect(await send()).toEqual({ kind: 'unanswered', problem: 'the webhook did not answer within 0.3 s' });
  expect(chat.received).toHaveLength(1);
});

test('so may one whose connection breaks before it answers', async () => {
  chat.answers('hang-up');
  expect(await send()).toMatchObject({
    kind: 'unanswered',
    problem: expect.stringMatching(/^the connection to the webhook broke \(/) as string,
  });
});

test('a server that is down has heard nothing', async () => {
  const address = chat.address(secret);
  await chat.close();
  expect(await send(address)).toEqual({
    kind: 'unavailable',
    problem: 'the webhook cannot be reached (ECONNREFUSED)',
    retryAfterSeconds: null,
  });
});

test.each([
  {
    address: '',
    want: {
      kind: 'unavailable',
      problem: 'the environment variable ALERTS of the worker is not set',
      retryAfterSeconds: null,
    },
  },
  {
    address: `not an address ${secret}`,
    want: { kind: 'refused', problem: 'the environment variable ALERTS of the worker holds no address of a webhook' },
  },
  {
    address: `file:///${secret}`,
    want: { kind: 'refused', problem: 'the environment variable ALERTS of the worker holds no address of a webhook' },
  },
])('an address that is none is told without it: $want.problem', async ({ address, want }) => {
  expect(await send(address)).toEqual(want);
});

test('the address may lie in a file, which is read for each message', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'temper-webhook-'));
  const file = join(folder, 'address');
  const to = { slackWebhook: { file } };
  const webhook = slackWebhook({ environment: {} });
  expect(await webhook.send({ ...message, to })).toMatchObject({
    kind: 'unavailable',
    problem: `the file ${file} cannot be read (ENOENT)`,
  });
  await writeFile(file, `${chat.address(secret)}\n`);
  expect(await webhook.send({ ...message, to })).toEqual({ kind: 'sent' });
  await rm(folder, { recursive: true });
});

test.each(['never', 'hang-up', { status: 500 }, { status: 404 }] as const)(
  'no answer holds the secret: %j',
  async (how) => {
    chat.answers(how);
    expect(JSON.stringify(await send())).not.toContain('very-secret');
  },
);
