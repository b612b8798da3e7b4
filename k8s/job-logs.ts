/**
 * The logs of a job's pods, kept beside what it wrote before the pods go.
 *
 * Covers the last of each log: nodes rotate logs, and what they threw away nobody has. Does not cover following a log.
 */
import { join } from 'node:path';
import type { JobRef } from '../activities/backend.ts';
import type { RankEnd } from '../decisions/failure.ts';
import { writeByRename } from '../store/write-by-rename.ts';
import { podsPath } from './job-observer.ts';
import { indexOf } from './job-state.ts';
import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { SeenPod } from './kube-types.ts';
import { trainerContainer } from './pod-template.ts';

const keptBytes = 4 * 2 ** 20;
/** More than these bytes hold, of lines as trainers print them: what need not be sent stays at the node. */
const askedLines = 100_000;
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
      await writeByRename(join(directory, end.rank === 0 ? 'log.txt' : `log-${String(end.rank)}.txt`), text);
      return { ...end, lastLines: lastLinesOf(text) };
    }),
  );
}

async function logOf(rank: number, { client, namespace, pods }: LogSource): Promise<string | null> {
  const pod = pods.findLast((each) => indexOf(each) === rank);
  if (pod === undefined) return null;
  const query = new URLSearchParams({ container: trainerContainer, tailLines: String(askedLines) });
  try {
    const path = `${podsPath(namespace)}/${pod.metadata.name}/log?${query.toString()}`;
    return wholeLines(await client.tail(path, keptBytes));
  } catch (error) {
    if (error instanceof KubeError) return null;
    throw error;
  }
}

/** What was cut off at the beginning may end in the middle of a line, or of a character. */
function wholeLines(bytes: Buffer): string {
  const begin = bytes.length < keptBytes ? 0 : bytes.indexOf('\n') + 1;
  return bytes.toString('utf8', begin);
}

function lastLinesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.slice(-evidenceLines).map((line) => line.slice(0, longestLine));
}
