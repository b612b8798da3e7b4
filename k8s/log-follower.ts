/**
 * Brings the log of a pod into its job's directory: what there is, or what comes until the stream ends.
 *
 * Does not cover the file (log-file.ts), or asking again after a stream has ended, as it does when a kubelet restarts (job-logs.ts).
 */
import { podsPath } from './job-observer.ts';
import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { SeenPod } from './kube-types.ts';
import { cutLongLine, LogFile } from './log-file.ts';
import { failedBeside } from './pod-state.ts';
import { trainerContainer } from './pod-template.ts';

export interface LogOfPod {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly pod: SeenPod;
  readonly directory: string;
  readonly rank: number;
}

export interface LogWish {
  /** Wait for more. */
  readonly follow: boolean;
  /** Nothing more will come: a last line without an end is one. */
  readonly isOver: boolean;
  readonly signal?: AbortSignal;
}

/** What is there is sent without a pause. */
const silenceSeconds = 30;
/** A trainer may be silent for long, but a dead connection looks the same: after this it is asked anew. */
const followedSilenceSeconds = 300;
const keepEverySeconds = 2;
/** A progress bar may be one line for hours: it is broken into lines of so many characters. */
const longestLine = 16 * 1024;

/**
 * Resolves to whether anything came, when the stream has ended or the signal aborts. Throws `KubeError` where the log cannot be had, and what
 * keeps its file from being written.
 */
export async function bringLog(of: LogOfPod, wish: LogWish): Promise<boolean> {
  const file = await LogFile.open(of.directory, of.rank, of.pod.metadata.uid);
  const { bytes } = file;
  try {
    await bring(of, file, wish);
  } catch (error) {
    if (wish.signal?.aborted !== true) throw error;
  } finally {
    await file.close();
  }
  return file.bytes > bytes;
}

async function bring({ client, namespace, pod }: LogOfPod, file: LogFile, wish: LogWish): Promise<void> {
  // Where an init container failed the trainer never began, and its words are the only ones.
  const failed = failedBeside(pod);
  const container = failed?.isInit === true ? failed.name : trainerContainer;
  const query = new URLSearchParams({ container, timestamps: 'true' });
  if (wish.follow) query.set('follow', 'true');
  if (file.sinceTime !== null) query.set('sinceTime', file.sinceTime);
  const path = `${podsPath(namespace)}/${pod.metadata.name}/log?${query.toString()}`;
  const decoder = new TextDecoder();
  let rest = '';
  let keptAt = performance.now();
  for await (const chunk of chunksOf(client, path, wish)) {
    const whole = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    const { lines, rest: open } = cutLongLine(whole.pop() ?? '', longestLine);
    rest = open;
    await file.write([...whole.flatMap((line) => pieces(line)), ...lines]);
    if (performance.now() - keptAt < keepEverySeconds * 1000) continue;
    await file.keep();
    keptAt = performance.now();
  }
  if (wish.isOver && rest !== '') await file.write([rest]);
}

/** Cut as it would have been had it come little by little: the same line is always the same pieces. */
function pieces(line: string): readonly string[] {
  const { lines, rest } = cutLongLine(line, longestLine);
  return [...lines, rest];
}

/** A stream that breaks, or that is silent for too long, is an answer that broke off. */
async function* chunksOf(client: KubeClient, path: string, { follow, signal }: LogWish): AsyncGenerator<Uint8Array> {
  const gone = new AbortController();
  const silence = setTimeout(
    () => {
      gone.abort();
    },
    (follow ? followedSilenceSeconds : silenceSeconds) * 1000,
  );
  try {
    const stream = await client.stream(
      path,
      signal === undefined ? gone.signal : AbortSignal.any([signal, gone.signal]),
    );
    for await (const chunk of stream) {
      silence.refresh();
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof KubeError) throw cause;
    throw new KubeError(`the stream broke (${(cause as Error).message})`, { cause });
  } finally {
    clearTimeout(silence);
  }
}
