/**
 * The logs of a job's pods: brought beside what it wrote before the pods go, or while they run.
 *
 * Covers which pod and which rank. Does not cover streams (log-follower.ts) or files (log-file.ts).
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BackendLogs, FollowWish, JobRef } from '../activities/backend.ts';
import type { RankEnd } from '../decisions/failure.ts';
import { logName } from '../decisions/log-name.ts';
import { openToRead } from '../store/own-file.ts';
import type { JobObserver } from './job-observer.ts';
import type { KubeClient } from './kube-client.ts';
import { asTemperError, KubeError } from './kube-error.ts';
import type { SeenPod } from './kube-types.ts';
import { bringLog, type LogOfPod } from './log-follower.ts';
import { isRunning, podIndex } from './pod-state.ts';

const evidenceLines = 80;
const evidenceBytes = 256 * 1024;
const longestLine = 2000;
const mostTries = 3;
const pauseSeconds = 0.5;
const firstPauseSeconds = 1;
const longestPauseSeconds = 30;

export interface LogSource {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly pods: readonly SeenPod[];
}

/**
 * Brings the rest of each rank's log, and gives the ranks its last lines, before what only their termination message says. A log that is gone, that its node does not give, or that cannot be
 * written, leaves what was brought before, or what the pod said. Throws `backend-unavailable` where the server itself does not answer: the logs are still there.
 */
export async function saveLogs(
  { directory }: JobRef,
  ranks: readonly RankEnd[],
  { client, namespace, pods }: LogSource,
): Promise<readonly RankEnd[]> {
  return await Promise.all(
    ranks.map(async (end) => {
      const pod = podOfRank(pods, end.rank);
      if (pod !== null) await bringPatiently({ client, namespace, pod, directory, rank: end.rank });
      const logged = await lastLinesOf(join(directory, logName(end.rank)));
      const only = end.lastLines.filter((line) => logged.every((one) => !one.includes(line)));
      return { ...end, lastLines: [...logged, ...only] };
    }),
  );
}

/** The one that was made last. */
function podOfRank(pods: readonly SeenPod[], rank: number): SeenPod | null {
  return pods.findLast((each) => podIndex(each) === rank) ?? null;
}

export interface LiveLogSource extends Omit<LogSource, 'pods'> {
  readonly observer: JobObserver;
}

/** Of jobs that run. */
export function jobLogs({ client, namespace, observer }: LiveLogSource): BackendLogs {
  const podsOf = ({ name, uid }: JobRef) => {
    const known = observer.find(name);
    return known?.job.metadata.uid === uid ? known.pods : [];
  };
  return {
    async bring(job, rank, signal) {
      await started(observer, signal);
      const pod = podOfRank(podsOf(job), rank);
      if (pod === null || !isRunning(pod)) return;
      await bringLog(
        { client, namespace, pod, directory: job.directory, rank },
        { follow: false, isOver: false, signal },
      );
    },
    async follow(job, rank, { signal, heard }) {
      const waiter = observer.waiter(job.name);
      let failures = 0;
      try {
        await started(observer, signal);
        while (!signal.aborted) {
          const pod = podOfRank(podsOf(job), rank);
          if (pod === null || !isRunning(pod)) {
            await waiter.next(signal, null);
            continue;
          }
          const of = { client, namespace, pod, directory: job.directory, rank };
          failures = (await followOnce(of, { signal, heard })) ? 0 : failures + 1;
          // A kubelet that restarts ends a stream as a trainer does.
          await waiter.next(signal, Math.min(firstPauseSeconds * 2 ** failures, longestPauseSeconds) * 1000);
        }
      } finally {
        waiter.close();
      }
    },
  };
}

/** Of a pod that is being ended, which takes its log with it: brings what it says to its last word. Never rejects: there may be no log any more. */
export async function keepLastWords(
  { directory }: JobRef,
  pod: SeenPod,
  { client, namespace, signal }: Omit<LogSource, 'pods'> & { readonly signal: AbortSignal },
): Promise<void> {
  const of = { client, namespace, pod, directory, rank: podIndex(pod) };
  await bringLog(of, { follow: true, isOver: true, signal }).catch(() => undefined);
}

/** Resolves when the jobs are known, or when nobody wants that any more. */
async function started(observer: JobObserver, signal: AbortSignal): Promise<void> {
  const given = new AbortController();
  const gone = once(signal, 'abort', { signal: given.signal }).catch(() => undefined);
  if (!signal.aborted) await Promise.race([observer.started(), gone]);
  given.abort();
}

/** Whether anything came. */
async function followOnce(of: LogOfPod, { signal, heard }: FollowWish): Promise<boolean> {
  heard(null);
  try {
    return await bringLog(of, { follow: true, isOver: false, signal });
  } catch (error) {
    heard(problemOf(error));
    return false;
  }
}

function problemOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const isForbidden = error instanceof KubeError && (error.status === 401 || error.status === 403);
  return isForbidden ? `${said}: the worker needs the verb get on pods/log` : said;
}

async function bringPatiently(of: LogOfPod): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await bringLog(of, { follow: false, isOver: true });
      return;
    } catch (error) {
      // A log that cannot be written is no reason for a job never to end.
      if (!(error instanceof KubeError)) return;
      if (error.status === null) await mustAnswer(of);
      if (tries >= mostTries || !error.isPassing) return;
      await pause(pauseSeconds * 2 ** tries * 1000);
    }
  }
}

/** Where the server answers, it is the pod's node that does not. */
async function mustAnswer({ client, pod }: LogOfPod): Promise<void> {
  try {
    await client.send({ method: 'GET', path: '/version' });
  } catch (error) {
    if (error instanceof KubeError && error.status !== null) return;
    throw asTemperError(error, `read the log of ${pod.metadata.name}`);
  }
}

async function lastLinesOf(path: string): Promise<string[]> {
  const handle = await openToRead(path).catch(() => null);
  if (handle === null) return [];
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - evidenceBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer
      .toString('utf8', 0, bytesRead)
      .split('\n')
      .slice(from === 0 ? 0 : 1);
    return lines
      .filter((line) => line !== '')
      .slice(-evidenceLines)
      .map((line) => line.slice(0, longestLine));
  } finally {
    await handle.close();
  }
}
