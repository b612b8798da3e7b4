/**
 * Brings the log of a pod into its job's directory, as far as it has come or until nobody wants more.
 *
 * Survives what ends a stream: a rotation, a server that goes away, a connection that is dead without a word. Does not cover the file
 * (log-file.ts).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { podsPath } from './job-observer.ts';
import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { SeenPod } from './kube-types.ts';
import { LogFile } from './log-file.ts';
import { trainerContainer } from './pod-template.ts';

export interface LogOfPod {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly pod: SeenPod;
  readonly directory: string;
  readonly rank: number;
}

/** What is there is sent without a pause. */
const silenceSeconds = 30;
/** A trainer may be silent for long, but a dead connection looks the same: after this it is asked anew. */
const followedSilenceSeconds = 300;
const keepEverySeconds = 2;
const firstPauseSeconds = 1;
const longestPauseSeconds = 30;

/** Brings what there is. `isOver`: also a last line without an end. Throws `KubeError` where it cannot be had. */
export async function bringLog(of: LogOfPod, { isOver }: { readonly isOver: boolean }): Promise<void> {
  const file = await LogFile.open(of.directory, of.rank, of.pod.metadata.uid);
  try {
    await bring(of, file, { follow: false, isOver });
  } finally {
    await file.close();
  }
}

/** Resolves when the pod has said its last word, when it is gone, or when the signal aborts. Throws what keeps the file from being written. */
export async function followLog(of: LogOfPod, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const file = await LogFile.open(of.directory, of.rank, of.pod.metadata.uid);
    const { bytes } = file;
    try {
      await bring(of, file, { follow: true, isOver: false, signal });
      return;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (error.status === 404) return;
      failures = file.bytes > bytes ? 0 : failures + 1;
    } finally {
      await file.close();
    }
    const seconds = Math.min(firstPauseSeconds * 2 ** failures, longestPauseSeconds);
    await pause(seconds * 1000, undefined, { signal }).catch(() => undefined);
  }
}

interface Wish {
  readonly follow: boolean;
  readonly isOver: boolean;
  readonly signal?: AbortSignal;
}

async function bring({ client, namespace, pod }: LogOfPod, file: LogFile, wish: Wish): Promise<void> {
  const query = new URLSearchParams({ container: trainerContainer, timestamps: 'true' });
  if (wish.follow) query.set('follow', 'true');
  if (file.sinceTime !== null) query.set('sinceTime', file.sinceTime);
  const path = `${podsPath(namespace)}/${pod.metadata.name}/log?${query.toString()}`;
  const decoder = new TextDecoder();
  let rest = '';
  let keptAt = performance.now();
  const gone = new AbortController();
  const silence = setTimeout(
    () => {
      gone.abort();
    },
    (wish.follow ? followedSilenceSeconds : silenceSeconds) * 1000,
  );
  const signal = wish.signal === undefined ? gone.signal : AbortSignal.any([wish.signal, gone.signal]);
  try {
    for await (const chunk of chunksOf(client, path, signal)) {
      silence.refresh();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      await file.write(lines);
      if (performance.now() - keptAt < keepEverySeconds * 1000) continue;
      await file.keep();
      keptAt = performance.now();
    }
  } finally {
    clearTimeout(silence);
  }
  if (wish.isOver && rest !== '') await file.write([rest]);
}

/** A stream that breaks, or that is given up, is an answer that broke off. */
async function* chunksOf(client: KubeClient, path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* await client.stream(path, signal);
  } catch (cause) {
    if (cause instanceof KubeError) throw cause;
    throw new KubeError(`the stream broke (${(cause as Error).message})`, { cause });
  }
}
