/**
 * The local backend: a job is a process group under a supervisor on this machine.
 *
 * Jobs outlive the worker; any worker with the same root adopts, watches and stops them. Does not cover several machines.
 */
import { mkdir } from 'node:fs/promises';
import type { Backend, JobRef, JobSpec } from '../activities/backend.ts';
import { TemperError } from '../decisions/errors.ts';
import { hasChanged, isJobOver } from '../decisions/job-over.ts';
import { JobChanges } from './changes.ts';
import { lookAt } from './job-status.ts';
import { type MachineSlots, slotsOfMachine } from './machine-slots.ts';
import { jobRegistry, type Registry } from './registry.ts';
import { stopJob } from './stop.ts';
import { findJob, startSupervisor } from './submit.ts';

export interface LocalCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the worker's own environment; `TEMPER_REQUEST` and `TEMPER_JOB_TOKEN` come from the backend. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default the job's directory */
  readonly workingDirectory?: string;
}

export interface LocalBackendOptions {
  /** Folder of this machine for the backend's own state (registry of live jobs, slots); shared by the workers of one machine. */
  readonly root: string;
  /** Jobs that run at once; `auto`: GPUs, or cores on a machine without. @default 'auto' */
  readonly slots?: number | 'auto';
  /** What is run for a job. */
  readonly command: (spec: JobSpec) => LocalCommand;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** How often the waited-for jobs are looked at when no event comes. @default 1.5 */
  readonly sweepSeconds?: number;
}

export interface LocalBackend extends Backend {
  /** Stops watching; jobs go on. */
  close(): void;
}

export function createLocalBackend(options: LocalBackendOptions): LocalBackend {
  const { root, now = () => new Date(), sweepSeconds = 1.5 } = options;
  const registry = jobRegistry(root);
  const changes = new JobChanges(registry, sweepSeconds);
  let machine: Promise<MachineSlots> | null = null;
  const opened = async () => {
    machine ??= prepare(root, registry, options.slots ?? 'auto');
    return machine;
  };
  return {
    // Processes share what the machine has: there is no limit of a job that could be raised.
    fixed: ['memory', 'shared-memory'],
    async submit(spec) {
      const slots = await opened();
      return (
        (await findJob(spec)) ??
        (await liveNamesake(spec, registry, now)) ??
        (await start(spec, { options, slots, changes, registry }))
      );
    },
    find: (spec) => findJob(spec),
    async status(job) {
      return (await lookAt(job, now)).status;
    },
    async nextChange(job, seen, signal) {
      await opened();
      const waiter = changes.waiter(job.name);
      try {
        for (;;) {
          const { status, lifeline } = await lookAt(job, now);
          if (signal.aborted || isJobOver(status) || hasChanged(status, seen)) return status;
          await waiter.next(lifeline, signal);
        }
      } finally {
        waiter.close();
      }
    },
    async stop(job, how) {
      await opened();
      await stopJob(job, how, { changes, now });
    },
    async list() {
      await opened();
      return liveJobs(registry, now);
    },
    close() {
      changes.close();
    },
  };
}

async function prepare(root: string, registry: Registry, slots: number | 'auto'): Promise<MachineSlots> {
  try {
    await mkdir(root, { recursive: true });
    await registry.open();
  } catch (cause) {
    throw new TemperError(
      'environment-unusable',
      `the folder ${root} for local jobs cannot be made: make it writable or name another`,
      { cause },
    );
  }
  return slotsOfMachine(slots);
}

/** A living job of the same name in another directory is the job that was asked for: never a twin. */
async function liveNamesake(spec: JobSpec, registry: Registry, now: () => Date): Promise<JobRef | null> {
  const job = await registry.find(spec.name);
  if (job === null || job.directory === spec.directory) return null;
  return isJobOver((await lookAt(job, now)).status) ? null : job;
}

async function start(
  spec: JobSpec,
  context: { options: LocalBackendOptions; slots: MachineSlots; changes: JobChanges; registry: Registry },
): Promise<JobRef> {
  const { options, slots, changes, registry } = context;
  if (spec.slots > slots.total) {
    throw new TemperError(
      'job-refused',
      `job "${spec.name}" needs ${spec.slots} slots, this machine has ${slots.total} (profile: slots)`,
    );
  }
  const { file, args, env = {}, workingDirectory = spec.directory } = options.command(spec);
  const { name, directory, requestPath } = spec;
  const job = await startSupervisor(
    {
      root: options.root,
      name,
      directory,
      requestPath,
      slots: spec.slots,
      totalSlots: slots.total,
      devices: slots.devices,
      command: { file, args, env, workingDirectory },
    },
    () => {
      changes.wake(name);
    },
  );
  // The claim is there before its supervisor has announced it: whoever lists now must see it. One that ends meanwhile is weeded out.
  if ((await registry.find(name)) === null) await registry.announce(job);
  return job;
}

async function liveJobs(registry: Registry, now: () => Date): Promise<readonly JobRef[]> {
  const live: JobRef[] = [];
  for (const job of await registry.entries()) {
    if (isJobOver((await lookAt(job, now)).status)) await registry.withdraw(job.name);
    else live.push(job);
  }
  return live;
}
