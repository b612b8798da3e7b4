/**
 * Sends a message to an incoming webhook as Slack has them: `{"text": …}` by POST, and a key in `Idempotency-Key`.
 *
 * The address is read for each message, from the environment or a file, and never told to anybody: no answer holds it. Does not cover trying again.
 */
import { readFile } from 'node:fs/promises';
import { unescape } from 'node:querystring';
import type { Webhook, WebhookAnswer, WebhookMessage } from '../activities/webhook.ts';

export interface SlackWebhookOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** @default 10 */
  readonly timeoutSeconds?: number;
}

/** A receiver that asks for more would be forgotten. */
const longestWaitSeconds = 600;

export function slackWebhook({ environment, timeoutSeconds = 10 }: SlackWebhookOptions): Webhook {
  return {
    async send(message) {
      const found = await addressOf(message.to, environment);
      if (!(found instanceof URL)) return found;
      try {
        const { address, authorization } = withoutCredentials(found);
        const response = await fetch(address, {
          method: 'POST',
          headers: {
            'content-type': 'application/json; charset=utf-8',
            'idempotency-key': message.key,
            ...authorization,
          },
          body: JSON.stringify({ text: message.text }),
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutSeconds * 1000),
        });
        await response.body?.cancel();
        return answerOf(response);
      } catch (error) {
        return answerOfFailure(error, timeoutSeconds);
      }
    },
  };
}

async function addressOf(
  { slackWebhook: where }: WebhookMessage['to'],
  environment: SlackWebhookOptions['environment'],
): Promise<URL | WebhookAnswer> {
  const name = 'env' in where ? `the environment variable ${where.env} of the worker` : `the file ${where.file}`;
  const text = 'env' in where ? environment[where.env] : await readFile(where.file, 'utf8').catch(codeOf);
  const missing = (how: string): WebhookAnswer => ({
    kind: 'unavailable',
    problem: `${name} ${how}`,
    retryAfterSeconds: null,
  });
  if (typeof text === 'object') return missing(`cannot be read (${text.code})`);
  if (text === undefined || text.trim() === '') return missing('is not set');
  const url = URL.parse(text.trim());
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  return { kind: 'refused', problem: `${name} holds no address of a webhook` };
}

/** A request takes no address with a user and a password in it: they go into its header. */
function withoutCredentials(url: URL): { readonly address: URL; readonly authorization: Record<string, string> } {
  if (url.username === '' && url.password === '') return { address: url, authorization: {} };
  const address = new URL(url);
  [address.username, address.password] = ['', ''];
  const pair = [url.username, url.password].map(unescape).join(':');
  return { address, authorization: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

function codeOf(error: unknown): { readonly code: string } {
  return { code: (error as NodeJS.ErrnoException).code ?? 'unknown error' };
}

function answerOf({ status, headers }: Response): WebhookAnswer {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const problem = `the webhook answered ${String(status)}`;
  if (status >= 500 || status === 408 || status === 429) {
    const asked = Number(headers.get('retry-after'));
    return { kind: 'unavailable', problem, retryAfterSeconds: asked > 0 ? Math.min(asked, longestWaitSeconds) : null };
  }
  return { kind: 'refused', problem: `${problem} (is its address still right?)` };
}

/** Where the connection itself failed, nothing can have arrived. */
const neverArrived = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

function answerOfFailure(error: unknown, timeoutSeconds: number): WebhookAnswer {
  if ((error as { name?: unknown }).name === 'TimeoutError')
    return { kind: 'unanswered', problem: `the webhook did not answer within ${String(timeoutSeconds)} s` };
  const code = codesOf(error)[0] ?? 'unknown error';
  if (neverArrived.includes(code))
    return { kind: 'unavailable', problem: `the webhook cannot be reached (${code})`, retryAfterSeconds: null };
  return { kind: 'unanswered', problem: `the connection to the webhook broke (${code})` };
}

/** The codes of an error and of what lies below it; their words may hold the address. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const below = Array.isArray(errors) ? (errors as unknown[]) : [cause];
  return [...(typeof code === 'string' ? [code] : []), ...below.flatMap((one) => codesOf(one))];
}
