/** The logs of a job's pods, kept beside what it wrote before the pods go. Does not cover following a log. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRef } from '../activities/backend.ts';
import type { RankEnd } from '../decisions/failure.ts';
import { podsPath } from './job-observer.ts';
import { indexOf } from './job-state.ts';
import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { SeenPod } from './kube-types.ts';
import { trainerContainer } from './pod-template.ts';

const keptBytes = 4 * 2 ** 20;
const evidenceLines = 80;
const longestLine = 2000;

export interface LogSource {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly pods: readonly SeenPod[];
}

/** Writes `log.txt` (of rank 0) and `log-<rank>.txt`, and gives the ranks their last lines. A log that is gone leaves what the pod said. */
export async function saveLogs(
  { directory }: JobRef,
  ranks: readonly RankEnd[],
  source: LogSource,
): Promise<readonly RankEnd[]> {
  return await Promise.all(
    ranks.map(async (end) => {
      const text = await logOf(end.rank, source);
      if (text === null || text === '') return end;
      await writeFile(join(directory, end.rank === 0 ? 'log.txt' : `log-${String(end.rank)}.txt`), text);
      return { ...end, lastLines: lastLinesOf(text) };
    }),
  );
}

async function logOf(rank: number, { client, namespace, pods }: LogSource): Promise<string | null> {
  const pod = pods.findLast((each) => indexOf(each) === rank);
  if (pod === undefined) return null;
  const query = new URLSearchParams({ container: trainerContainer, limitBytes: String(keptBytes), tailLines: '20000' });
  try {
    return await client.text(`${podsPath(namespace)}/${pod.metadata.name}/log?${query.toString()}`);
  } catch (error) {
    if (error instanceof KubeError) return null;
    throw error;
  }
}

function lastLinesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.slice(-evidenceLines).map((line) => line.slice(0, longestLine));
}
