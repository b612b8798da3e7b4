/**
 * Many live phases on a cluster, each a Job whose pod only pretends: starts them, leaves them alone for a while, ends some and sees what
 * follows.
 *
 * The API server, its controllers and scheduler, the Temporal server, the worker with its backend, its workflows and its ledger are the real
 * ones. Stood in for: nodes and pods (kwok), what trainers write (fleet.ts), and the kubelet's word that a pod has ended. Does not cover
 * evaluations, nor what the numbers are measured by (live-table.ts).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { createKubeClient } from '../../k8s/kube-client.ts';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import { makeNamespace, type TestCluster } from '../../test/cluster/test-bed.ts';
import { makeAccount, rightsOfWorker } from './accounts.ts';
import { type AuditedRequest, type AuditPlaces, readAuditLog } from './audit.ts';
import { putBeforeOthers } from './before-others.ts';
import { addFakeNodes, onFakeNodes } from './fake-nodes.ts';
import { startFleet } from './fleet.ts';
import { endPhase, type LiveBed, nextOf, runningIn, startPipelines } from './live-load.ts';
import { type PhaseChange, readPhaseChange } from './phase-changes.ts';
import { loadOfMachine, pidsOf, type Taken, takenByAll } from './processes.ts';
import { type SeenJob, seeJobs } from './seen-jobs.ts';
import { startTemper } from './temper-on-cluster.ts';

export interface LivePhasesOptions {
  /** Live at a time. */
  readonly phases: number;
  /** How many of them end. */
  readonly ends: number;
  readonly endsPerMinute: number;
  /** How long they are left alone first. */
  readonly quietSeconds: number;
  /** Whether what is measured goes before what else runs on this machine. */
  readonly beforeOthers: boolean;
  readonly kwok: string;
  readonly audit: AuditPlaces;
  readonly say: (line: string) => void;
  readonly stop: AbortSignal;
}

/** A part of the run: what the worker asked the API server in it, and what processes took. */
export interface Stretch {
  readonly seconds: number;
  readonly requests: readonly AuditedRequest[];
  /** Seconds of processor, by process. */
  readonly cpu: ReadonlyMap<string, number>;
  readonly load: number;
  /** At its end. */
  readonly processes: ReadonlyMap<string, Taken>;
}

export interface LivePhasesReport {
  readonly phases: number;
  /** Seconds from the first start until so many Jobs were there, in order. */
  readonly jobSeconds: readonly number[];
  /** Milliseconds from a pod that runs to the ledger's word that its attempt does: while all start at once, and of those that follow an end. */
  readonly runningNoted: { readonly filling: readonly number[]; readonly ending: readonly number[] };
  readonly filling: Stretch;
  readonly quiet: Stretch;
  readonly ending: Stretch;
  readonly changes: readonly PhaseChange[];
  /** Ends that nothing followed in time. */
  readonly unanswered: number;
  /** Jobs that ended otherwise than they were told to. */
  readonly failedJobs: number;
}

const podsPerNode = 100;
/** Between two lines of a trainer's progress: a large model's step. */
const stepSeconds = 30;
/** Nothing more comes after this long without anything new. */
const patienceSeconds = 180;

export async function measureLivePhases(
  { cluster, places }: { readonly cluster: TestCluster; readonly places: SlotPlaces },
  options: LivePhasesOptions,
): Promise<LivePhasesReport> {
  const { kwok, phases, say } = options;
  say(`fake nodes for ${String(phases)} pods, a Temporal server and a worker`);
  await addFakeNodes(cluster, { places, kwok, count: Math.ceil((2 * phases) / podsPerNode) });
  const namespace = await makeNamespace(cluster, 'live');
  const account = await makeAccount(
    { cluster, places },
    { name: 'temper-worker', namespace: namespace.name },
    rightsOfWorker,
  );
  const fleet = await startFleet(stepSeconds);
  const temper = await startTemper(places, {
    purpose: 'live',
    kubeconfig: account.kubeconfig,
    profile: {
      backend: 'kubernetes',
      namespace: namespace.name,
      store: { claim: namespace.volumeClaim, path: namespace.volumeFolder },
      jobs: { default: { image: cluster.busyboxImage, gpus: 1 } },
      graceSeconds: 5,
      podTemplate: onFakeNodes,
    },
  });
  const client = createKubeClient();
  const seen = seeJobs(client, namespace.name, ({ directory, uid }) => {
    void fleet.begin(join(directory, 'request.json'), uid);
  });
  try {
    await seen.started();
    if (options.beforeOthers) putBeforeOthers(pidsOf(places));
    const { name, user } = { ...namespace, ...account };
    return await measure({ temper, client, namespace: name, seen, fleet, user, places }, options);
  } finally {
    seen.close();
    await Promise.all([client.close(), fleet.close(), temper.close()]);
  }
}

async function measure(bed: LiveBed, options: LivePhasesOptions): Promise<LivePhasesReport> {
  const { phases, quietSeconds, say, stop } = options;
  const began = Date.now();
  const filling = await stretch(bed, options, async () => {
    await startPipelines(bed, phases);
    await until(`${String(phases)} phases are live`, { count: () => runningIn(bed).length, wanted: phases }, options);
    await untilNoted(bed, options);
  });
  const noted = await notesOfRunning(bed, [...bed.seen.all.values()]);
  say(
    `${String(phases)} phases are live after ${String(Math.round(filling.seconds))} s; nothing happens for ${String(quietSeconds)} s`,
  );
  const quiet = await stretch(bed, options, () => pause(quietSeconds * 1000, undefined, { signal: stop }));
  const jobSeconds = [...bed.seen.all.values()].map(({ addedAt }) => (addedAt - began) / 1000).sort((a, b) => a - b);
  const ended: SeenJob[] = [];
  const ending = await stretch(bed, options, async () => {
    await endSome(bed, options, ended);
    const count = () => ended.filter((job) => nextOf(bed, job)?.pod?.runningAt).length;
    await until('every next phase is live', { count, wanted: ended.length }, options);
  });
  const next = ended.flatMap((job) => nextOf(bed, job) ?? []);
  say('reading the histories');
  const changes: PhaseChange[] = [];
  for (const job of ended) {
    const change = await readPhaseChange(bed.temper.client, job, nextOf(bed, job));
    if (change !== null) changes.push(change);
  }
  return {
    phases,
    jobSeconds,
    runningNoted: { filling: noted, ending: await notesOfRunning(bed, next) },
    filling,
    quiet,
    ending,
    changes,
    unanswered: ended.length - changes.length,
    failedJobs: [...bed.seen.all.values()].filter(({ failed }) => failed).length,
  };
}

/** Runs `work` and tells what it took. */
async function stretch(bed: LiveBed, { audit }: LivePhasesOptions, work: () => Promise<unknown>): Promise<Stretch> {
  const own = { 'this bench': process.pid, 'stand-in trainers': bed.fleet.pid };
  const [beganAt, before] = [Date.now(), takenByAll(bed.places, own)];
  await work();
  const endedAt = Date.now();
  const requests = readAuditLog(audit).filter(({ at, user }) => user === bed.user && at >= beganAt && at < endedAt);
  const processes = takenByAll(bed.places, own);
  const cpu = [...processes].map(
    ([name, { cpuSeconds }]) => [name, cpuSeconds - (before.get(name)?.cpuSeconds ?? 0)] as const,
  );
  return { seconds: (endedAt - beganAt) / 1000, requests, cpu: new Map(cpu), load: loadOfMachine(), processes };
}

async function untilNoted(bed: LiveBed, options: LivePhasesOptions): Promise<void> {
  for (let noted = -1, since = Date.now(); ;) {
    const live = await bed.temper.ledger.liveAttempts();
    const now = live.filter(({ state }) => state === 'running').length;
    if (now >= options.phases) return;
    if (now !== noted) [noted, since] = [now, Date.now()];
    else if (Date.now() - since > patienceSeconds * 1000)
      throw new Error(`only ${String(now)} attempts run, for the ledger`);
    await pause(500, undefined, { signal: options.stop });
  }
}

async function notesOfRunning({ temper: { ledger } }: LiveBed, jobs: readonly SeenJob[]): Promise<number[]> {
  const live = await ledger.liveAttempts();
  const running = new Map(live.flatMap((one) => (one.state === 'running' ? [[one.jobName, one.updatedAt]] : [])));
  return jobs.flatMap(({ name, pod }) => {
    const notedAt = running.get(name);
    return pod?.runningAt && notedAt ? [Date.parse(notedAt) - pod.runningAt] : [];
  });
}

/** At an even pace, each time the phase that has been live for the longest; `ended` is added to. */
async function endSome(
  bed: LiveBed,
  { ends, endsPerMinute, say, stop }: LivePhasesOptions,
  ended: SeenJob[],
): Promise<void> {
  const began = Date.now();
  while (ended.length < ends) {
    await pause(Math.max(0, began + (ended.length * 60_000) / endsPerMinute - Date.now()), undefined, { signal: stop });
    const oldest = runningIn(bed).find((job) => !ended.includes(job));
    if (oldest === undefined) continue;
    ended.push(oldest);
    if (ended.length % 50 === 0) say(`${String(ended.length)} of ${String(ends)} phases have ended`);
    await endPhase(bed, oldest);
  }
}

/** Goes on without those that do not come. */
async function until(
  what: string,
  { count, wanted }: { readonly count: () => number; readonly wanted: number },
  { say, stop }: LivePhasesOptions,
): Promise<void> {
  for (let seen = -1, since = Date.now(), told = Date.now(); ;) {
    const now = count();
    if (now >= wanted) return;
    if (now !== seen) [seen, since] = [now, Date.now()];
    if (Date.now() - told > 15_000) {
      say(`  ${what}: ${String(now)} of ${String(wanted)}`);
      told = Date.now();
    }
    if (Date.now() - since > patienceSeconds * 1000) {
      say(`given up: ${what}, ${String(now)} of ${String(wanted)}`);
      return;
    }
    await pause(200, undefined, { signal: stop });
  }
}
