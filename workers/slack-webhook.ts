/**
 * Sends a message to an incoming webhook as Slack has them: `{"text": …}` by POST, and a key in `Idempotency-Key`.
 *
 * The address is read for each message, from the environment or a file, and never told to anybody: no answer holds it. Does not cover trying again.
 */
import { unescape } from 'node:querystring';
import type { Webhook, WebhookAnswer, WebhookMessage } from '../activities/webhook.ts';
import { addressAt } from './secret-address.ts';

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
      const found = await webhookOf(message.to, environment);
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

async function webhookOf(
  { slackWebhook: where }: WebhookMessage['to'],
  environment: SlackWebhookOptions['environment'],
): Promise<URL | WebhookAnswer> {
  const found = await addressAt(where, environment);
  if (found.kind === 'missing') return { kind: 'unavailable', problem: found.problem, retryAfterSeconds: null };
  const url = URL.parse(found.address);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  return { kind: 'refused', problem: `${found.name} holds no address of a webhook` };
}

/** A request takes no address with a user and a password in it: they go into its header. */
function withoutCredentials(url: URL): { readonly address: URL; readonly authorization: Record<string, string> } {
  if (url.username === '' && url.password === '') return { address: url, authorization: {} };
  const address = new URL(url);
  [address.username, address.password] = ['', ''];
  const pair = [url.username, url.password].map(unescape).join(':');
  return { address, authorization: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
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
