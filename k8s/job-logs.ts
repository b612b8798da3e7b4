/**
 * The logs of a job's pods: brought beside what it wrote before the pods go, or while they run.
 *
 * Covers which pod and which rank. Does not cover streams (log-follower.ts) or files (log-file.ts).
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BackendLogs, JobRef, JobStatus } from '../activities/backend.ts';
import type { RankEnd } from '../decisions/failure.ts';
import { logName } from '../decisions/log-name.ts';
import { isAbsent } from '../store/absence.ts';
import { isJobOver } from '../decisions/job-over.ts';
import { type JobObserver, podsPath } from './job-observer.ts';
import { indexOf, isRunning } from './job-state.ts';
import type { KubeClient } from './kube-client.ts';
import { asTemperError, KubeError } from './kube-error.ts';
import type { SeenPod } from './kube-types.ts';
import { bringLog, followLog, type LogOfPod } from './log-follower.ts';

const evidenceLines = 80;
const evidenceBytes = 256 * 1024;
const longestLine = 2000;
const mostTries = 3;
const pauseSeconds = 0.5;

export interface LogSource {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly pods: readonly SeenPod[];
}

/**
 * Brings the rest of each rank's log, and gives the ranks their last lines. A log that is gone, or that its node does not give, leaves what
 * was brought before, or what the pod said. Throws `backend-unavailable` where the server itself does not answer: the logs are still there.
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
      const lastLines = await lastLinesOf(join(directory, logName(end.rank)));
      return lastLines.length === 0 ? end : { ...end, lastLines };
    }),
  );
}

/** The one that was made last. */
function podOfRank(pods: readonly SeenPod[], rank: number): SeenPod | null {
  return pods.findLast((each) => indexOf(each) === rank) ?? null;
}

export interface LiveLogSource extends Omit<LogSource, 'pods'> {
  readonly observer: JobObserver;
  readonly status: (job: JobRef) => Promise<JobStatus>;
}

/** Of jobs that run. */
export function jobLogs({ client, namespace, observer, status }: LiveLogSource): BackendLogs {
  const runningPod = ({ name }: JobRef, rank: number) => {
    const pod = podOfRank(observer.find(name)?.pods ?? [], rank);
    return pod !== null && isRunning(pod) ? pod : null;
  };
  return {
    async bring(job, rank) {
      if (isJobOver(await status(job))) return;
      const pod = runningPod(job, rank);
      if (pod === null) return;
      await bringLog({ client, namespace, pod, directory: job.directory, rank }, { isOver: false }).catch(ignoreNoLog);
    },
    async follow(job, rank, signal) {
      const waiter = observer.waiter(job.name);
      try {
        while (!signal.aborted && !isJobOver(await status(job))) {
          const pod = runningPod(job, rank);
          if (pod !== null) await followLog({ client, namespace, pod, directory: job.directory, rank }, signal);
          await waiter.next(signal, null);
        }
      } finally {
        waiter.close();
      }
    },
  };
}

function ignoreNoLog(error: unknown): void {
  if (!(error instanceof KubeError)) throw error;
}

async function bringPatiently(of: LogOfPod): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await bringLog(of, { isOver: true });
      return;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (error.status === null) await mustAnswer(of);
      if (tries >= mostTries || !error.isPassing) return;
      await pause(pauseSeconds * 2 ** tries * 1000);
    }
  }
}

/** Where the server answers, it is the pod's node that does not. */
async function mustAnswer({ client, namespace, pod }: LogOfPod): Promise<void> {
  try {
    await client.send({ method: 'GET', path: `${podsPath(namespace)}/${pod.metadata.name}` });
  } catch (error) {
    if (error instanceof KubeError && error.status !== null) return;
    throw asTemperError(error, `read the log of ${pod.metadata.name}`);
  }
}

async function lastLinesOf(path: string): Promise<string[]> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });
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
