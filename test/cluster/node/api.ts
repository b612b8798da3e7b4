/** A few requests to the API server while a cluster comes up, as its administrator. Not a client: tests have kubectl, the product its own. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { SlotPlaces } from '../machine/places.ts';
import { apiAddress } from './components.ts';

const mostSeconds = 5;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** How the answer is written. @default plain JSON */
  readonly accept?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

/** Rejects when no answer comes. */
export function askApi(
  places: SlotPlaces,
  { method = 'GET', path, body, contentType, accept = 'application/json' }: ApiRequest,
): Promise<ApiAnswer> {
  const key = (name: string) => readFileSync(join(places.keys, name));
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL(path, apiAddress(places)),
      {
        method,
        ca: key('ca.crt'),
        cert: key('admin.crt'),
        key: key('admin.key'),
        agent: false,
        timeout: mostSeconds * 1000,
        headers: { 'content-type': contentType ?? 'application/json', accept },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (text += part));
        answer.once('end', () => {
          resolve({ status: answer.statusCode ?? 0, text });
        });
        answer.once('error', reject);
      },
    );
    asked.once('timeout', () => asked.destroy(new Error('no answer from the API server')));
    asked.once('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Whether the API server serves everything it has. */
export async function isApiReady(places: SlotPlaces): Promise<boolean> {
  const answer = await askApi(places, { path: '/readyz' }).catch(() => undefined); // not listening yet
  return answer?.status === 200;
}

/** The object in the answer; undefined while there is none, or no answer. */
export async function lookUp<T>(places: SlotPlaces, path: string): Promise<T | undefined> {
  try {
    const { status, text } = await askApi(places, { path });
    return status === 200 ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined; // the server is not up yet: the caller looks again, with a deadline
  }
}

/** Creates or changes an object. Rejects with the server's words when it refuses. */
export async function apply(places: SlotPlaces, change: ApiRequest): Promise<void> {
  const { status, text } = await askApi(places, change);
  if (status >= 300) throw new Error(`${change.path}: ${text}`);
}
