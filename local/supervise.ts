/**
 * The life of one job, as its supervisor sees it: claim, wait for slots, start, wait for the end, record it, give the slots back.
 *
 * The command begins only after it is recorded who it is: it is started behind a gate that opens by a line on its standard input
 * and closes for ever when the supervisor dies. So no trainer ever runs that nobody knows of.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { JobRef } from '../activities/backend.ts';
import { type Exit, jobFiles, type JobFiles } from './job-files.ts';
import { endProcesses, type JobProcesses } from './process-group.ts';
import { identityOf } from './process-identity.ts';
import { jobRegistry } from './registry.ts';
import { acquireSlots, releaseSlots } from './slots.ts';

/** What a worker tells a supervisor to run. */
export interface Order {
  readonly root: string;
  readonly name: string;
  readonly directory: string;
  readonly requestPath: string;
  readonly slots: number;
  readonly totalSlots: number;
  /** What each slot makes visible, by slot modulo length; null: nothing to assign. */
  readonly devices: readonly string[] | null;
  readonly command: {
    readonly file: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly workingDirectory: string;
  };
}

type End = Pick<Exit, 'exitCode' | 'signal' | 'reason'>;

/** Grace when somebody other than Temper ends the supervisor, in seconds. */
const foreignGraceSeconds = 20;
/** What the trainer leaves behind may save for this long, in seconds. */
const leftoverGraceSeconds = 2;
const gate = 'read -r go && [ "$go" = go ] && exec "$@" </dev/null';

/** False when another supervisor has the job. */
export async function supervise(order: Order): Promise<boolean> {
  const files = jobFiles(order.directory);
  const job: JobRef = { name: order.name, uid: randomUUID(), directory: order.directory };
  const stop = stopSignal(files);
  const me = await identityOf(process.pid);
  if (me === null) throw new Error('the supervisor does not find itself in the process table');
  const mine = await files.claim({
    name: job.name,
    token: job.uid,
    supervisor: me,
    claimedAt: new Date().toISOString(),
  });
  if (!mine) return false;
  const registry = jobRegistry(order.root);
  await registry.announce(job);
  await stop.look();
  const end = await runInSlots({ order, files, job, stop });
  await files.recordExit({ token: job.uid, endedAt: new Date().toISOString(), ...end });
  await releaseSlots(order.root, job.uid);
  await registry.withdraw(job.name);
  return true;
}

interface Life {
  readonly order: Order;
  readonly files: JobFiles;
  readonly job: JobRef;
  readonly stop: StopSignal;
}

async function runInSlots({ order, files, job, stop }: Life): Promise<End> {
  const registry = jobRegistry(order.root);
  const slots = await acquireSlots(
    {
      root: order.root,
      total: order.totalSlots,
      wanted: order.slots,
      holder: { token: job.uid, directory: job.directory },
    },
    {
      signal: stop.signal,
      async waiting(reason) {
        await files.recordQueued({ reason, since: new Date().toISOString() });
        await registry.announce(job);
      },
    },
  );
  if (slots === null) return { exitCode: null, signal: null, reason: 'never-started' };
  const child = await startGated(order, { job, slots, log: files.log });
  const ended = endOf(child);
  const trainer = child.pid === undefined ? null : await identityOf(child.pid);
  if (trainer === null) return { ...(await ended), reason: 'spawn-failed' };
  await files.recordStarted({ token: job.uid, trainer, slots, startedAt: new Date().toISOString() });
  await registry.announce(job);
  const processes = { leader: trainer, token: job.uid };
  const stopping = endWhenAsked(stop, processes, registry.announce.bind(registry, job));
  const begun = !stop.signal.aborted;
  child.stdin?.end(begun ? 'go\n' : '');
  const end = await ended;
  if (!stop.signal.aborted) stop.close();
  await stopping;
  await endProcesses(processes, leftoverGraceSeconds);
  return begun ? end : { exitCode: null, signal: null, reason: 'never-started' };
}

async function startGated(
  order: Order,
  { job, slots, log }: { job: JobRef; slots: readonly number[]; log: string },
): Promise<ChildProcess> {
  const { file, args, env, workingDirectory } = order.command;
  const output = await open(log, 'a');
  try {
    const child = spawn('/bin/sh', ['-c', gate, 'temper', file, ...args], {
      cwd: workingDirectory,
      detached: true,
      env: {
        ...process.env,
        ...env,
        ...(order.devices === null
          ? {}
          : { CUDA_VISIBLE_DEVICES: slots.map((slot) => order.devices?.[slot % order.devices.length]).join(',') }),
        TEMPER_REQUEST: order.requestPath,
        TEMPER_JOB_TOKEN: job.uid,
      },
      stdio: ['pipe', output.fd, output.fd],
    });
    child.stdin?.on('error', () => undefined); // the child may be dead before the gate opens: its end says so
    return child;
  } finally {
    await output.close();
  }
}

async function endOf(child: ChildProcess): Promise<End> {
  try {
    const [exitCode, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return { exitCode, signal, reason: null };
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return { exitCode: null, signal: null, reason: 'spawn-failed' };
  }
}

async function endWhenAsked(stop: StopSignal, processes: JobProcesses, announce: () => Promise<void>): Promise<void> {
  const graceSeconds = await stop.asked;
  if (graceSeconds === null) return;
  await announce();
  await endProcesses(processes, graceSeconds);
}

interface StopSignal {
  readonly signal: AbortSignal;
  /** Grace in seconds once a stop is asked for; null when it is closed without one. */
  readonly asked: Promise<number | null>;
  /** Reads stop.json now. */
  look(): Promise<void>;
  close(): void;
}

/** A stop is asked for by stop.json and a SIGTERM that says to look; a SIGTERM alone is one from outside. */
function stopSignal(files: JobFiles): StopSignal {
  const controller = new AbortController();
  let settle: (graceSeconds: number | null) => void = () => undefined;
  const asked = new Promise<number | null>((resolve) => {
    settle = resolve;
  });
  const stop = (graceSeconds: number) => {
    controller.abort();
    settle(graceSeconds);
  };
  const look = async () => {
    const request = await files.readStop();
    if (request !== null) stop(request.graceSeconds);
  };
  process.on('SIGTERM', () => {
    void look().finally(() => {
      stop(foreignGraceSeconds);
    });
  });
  for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
  return {
    signal: controller.signal,
    asked,
    look,
    close() {
      settle(null);
    },
  };
}
