/** Logs of jobs that run and that have ended, from a server that answers as the test says. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jobLogs, saveLogs } from '../../k8s/job-logs.ts';
import type { JobObserver } from '../../k8s/job-observer.ts';
import type { KubeClient } from '../../k8s/kube-client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { SeenPod } from '../../k8s/kube-types.ts';
import { rankEnd } from '../support/builders.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'temper-job-logs-'));
});
afterEach(() => rm(directory, { recursive: true }));

const pod = {
  metadata: { name: 't-tiny-a1-0-x', uid: 'pod-1', creationTimestamp: '2026-11-30T02:00:00Z' },
  status: { phase: 'Running', containerStatuses: [{ name: 'trainer', state: { running: {} } }] },
} as unknown as SeenPod;
const job = () => ({ name: 't-tiny-a1', uid: 'job-1', directory });
const lines = (...texts: string[]) =>
  texts.map((text, second) => `2026-11-30T02:00:0${String(second)}Z ${text}\n`).join('');

/** Each stream is the next answer; after the last there is nothing but silence. */
function server(...answers: readonly (string | Error)[]): KubeClient {
  const left = [...answers];
  return {
    server: 'scripted',
    cluster: 'east',
    send: <T>() => Promise.resolve({} as T),
    stream(_path, signal) {
      const answer = left.shift();
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(bytesOf(answer, signal));
    },
    close: () => Promise.resolve(),
  };
}

async function* bytesOf(text: string | undefined, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (text !== undefined) yield Buffer.from(text);
  else
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('aborted'));
      });
    });
}

/** Knows the one job and its pod; waits no longer than it must. */
const observer = {
  started: () => Promise.resolve(),
  find: () => ({ job: { metadata: { uid: 'job-1' } }, pods: [pod] }),
  waiter: () => ({ next: () => new Promise((resolve) => setImmediate(resolve)), close: () => undefined }),
} as unknown as JobObserver;

const logText = () => readFile(join(directory, 'log.txt'), 'utf8');

async function followed(client: KubeClient, until: (heard: readonly (string | null)[], text: string) => boolean) {
  const wanted = new AbortController();
  const heard: (string | null)[] = [];
  const following = jobLogs({ client, namespace: 'jobs', observer }).follow(job(), 0, {
    signal: wanted.signal,
    heard: (problem) => void heard.push(problem),
  });
  while (!until(heard, await logText().catch(() => ''))) await new Promise((resolve) => setImmediate(resolve));
  wanted.abort();
  await following;
  return heard;
}

test('a stream that ends while its pod runs is asked for again: a kubelet that restarts ends it so', async () => {
  await followed(server(lines('a', 'b'), lines('a', 'b', 'c')), (_heard, text) => text.endsWith('c\n'));
  expect(await logText()).toBe('a\nb\nc\n');
});

test('why it cannot be followed is told, with the right that is missing, and that it can again', async () => {
  const forbidden = new KubeError('pods "t" is forbidden', { status: 403 });
  const heard = await followed(server(forbidden, lines('a')), (_heard, text) => text === 'a\n');
  expect(heard.filter((problem) => problem !== null)).toEqual([
    'pods "t" is forbidden: the worker needs the verb get on pods/log',
  ]);
  expect(heard.at(-1)).toBeNull();
});

test('what only the termination message says comes after the last lines of the log; what the log says too, once', async () => {
  const end = rankEnd({ exitCode: 1, lastLines: ['ine two', 'line three', '{"error": "CUDA out of memory"}'] });
  const source = { client: server(lines('line two', 'line three')), namespace: 'jobs', pods: [pod] };
  const [saved] = await saveLogs(job(), [end], source);
  expect(saved?.lastLines).toEqual(['line two', 'line three', '{"error": "CUDA out of memory"}']);
});

test('a log that cannot be written keeps no job from its end', async () => {
  await promisify(execFile)('mkfifo', [join(directory, 'log.txt')]);
  const end = rankEnd({ exitCode: 3, lastLines: ['what the pod said'] });
  const source = { client: server(lines('a')), namespace: 'jobs', pods: [pod] };
  expect(await saveLogs(job(), [end], source)).toEqual([end]);
});
