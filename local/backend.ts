/**
 * The local backend: a job is a process group under a supervisor on this machine.
 */
import type { Backend, JobSpec } from '../activities/backend.ts';

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
  throw new Error(`not yet: ${options.root}`);
}
