/**
 * Every Job and pod that was ever made in a namespace, by the API server's own watch: what Temper believes does not count here.
 *
 * Outlives an API server that goes away. Does not see what was made and deleted while it was away.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { readApiAccess, type ApiAccess } from './api-access.ts';

export interface SeenJob {
  readonly name: string;
  readonly uid: string;
}

export interface JobWitness {
  /** All there ever were, in the order in which they were seen. */
  readonly jobs: readonly SeenJob[];
  /** Pairs of pods of one phase whose containers ran at the same time: their names. */
  twins(): readonly string[];
  /** Jobs of this name that there ever were. */
  madeOf(name: string): number;
  /** Whether a pod of the Job of this name has begun. */
  hasRun(name: string): boolean;
  close(): void;
}

interface SeenObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly running?: { readonly startedAt: string };
        readonly terminated?: { readonly startedAt: string; readonly finishedAt: string };
      };
    }[];
  };
}

interface PodRun {
  readonly name: string;
  readonly phase: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Resolves when it watches. */
export async function watchJobs(kubeconfig: string, namespace: string): Promise<JobWitness> {
  const access = readApiAccess(kubeconfig);
  const gone = new AbortController();
  const jobs = new Map<string, SeenJob>();
  const runs = new Map<string, PodRun>();
  const follow = (path: string, see: (object: SeenObject) => void): Promise<void> =>
    new Promise((listed) => {
      void keepWatching({ access, path, see, listed, signal: gone.signal });
    });
  await Promise.all([
    follow(`/apis/batch/v1/namespaces/${namespace}/jobs`, ({ metadata: { name, uid } }) => {
      jobs.set(uid, { name, uid });
    }),
    follow(`/api/v1/namespaces/${namespace}/pods`, (pod) => {
      const run = runOf(pod);
      if (run !== null) runs.set(pod.metadata.uid, run);
    }),
  ]);
  return {
    get jobs() {
      return [...jobs.values()];
    },
    madeOf: (name) => [...jobs.values()].filter((job) => job.name === name).length,
    hasRun: (name) => [...runs.values()].some((run) => run.name.startsWith(`${name}-`)),
    twins: () => twinsOf([...runs.values()]),
    close() {
      gone.abort();
    },
  };
}

interface Watching {
  readonly access: ApiAccess;
  readonly path: string;
  readonly see: (object: SeenObject) => void;
  readonly listed: () => void;
  readonly signal: AbortSignal;
}

async function keepWatching({ access, path, see, listed, signal }: Watching): Promise<void> {
  while (!signal.aborted) {
    try {
      const list = JSON.parse(await textOf(await ask(access, path, signal))) as {
        readonly metadata: { readonly resourceVersion: string };
        readonly items: readonly SeenObject[];
      };
      list.items.forEach(see);
      listed();
      const query = new URLSearchParams({ watch: '1', resourceVersion: list.metadata.resourceVersion });
      for await (const line of createInterface({ input: await ask(access, `${path}?${query.toString()}`, signal) })) {
        const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: SeenObject };
        if (type === 'ERROR') break;
        see(object);
      }
    } catch {
      await pause(200); // the server is away: a test that takes it away knows
    }
  }
}

async function ask({ server, tls }: ApiAccess, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  const asked = request(new URL(path, server), { ...tls, agent: false, signal });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  if (answer.statusCode === 200) return answer;
  answer.destroy();
  throw new Error(`HTTP ${String(answer.statusCode)}`);
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += String(part);
  return text;
}

function runOf({ metadata: { name, labels }, status }: SeenObject): PodRun | null {
  const { running, terminated } = status?.containerStatuses?.[0]?.state ?? {};
  const startedAt = running?.startedAt ?? terminated?.startedAt;
  if (startedAt === undefined) return null;
  const phase = ['pipeline', 'phase', 'kind'].map((label) => labels?.[`temper.dev/${label}`]).join('/');
  return {
    name,
    phase,
    startedAt: Date.parse(startedAt),
    endedAt: terminated === undefined ? Infinity : Date.parse(terminated.finishedAt),
  };
}

function twinsOf(runs: readonly PodRun[]): string[] {
  return runs.flatMap((one, index) =>
    runs
      .slice(index + 1)
      .filter((other) => other.phase === one.phase && one.startedAt < other.endedAt && other.startedAt < one.endedAt)
      .map((other) => `${one.name} and ${other.name}`),
  );
}
