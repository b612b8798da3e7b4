/**
 * What is recorded of a job in its own directory. Each file is written once, so that the set of files is the job's state:
 *
 *   job.json      the claim: which supervisor, which token. Of all who try, one gets it
 *   queued.json   it waits for a slot
 *   started.json  which process was started
 *   stop.json     somebody asked it to stop
 *   exit.json     how it ended
 */
import { join } from 'node:path';
import type { StopReason } from '../activities/backend.ts';
import { readObject, claimFile } from './durable-file.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface Claim {
  readonly name: string;
  readonly token: string;
  readonly supervisor: ProcessIdentity;
  readonly claimedAt: string;
}
export interface Queued {
  readonly reason: string;
  readonly since: string;
}
export interface Started {
  readonly token: string;
  readonly trainer: ProcessIdentity;
  readonly slots: readonly number[];
  readonly startedAt: string;
}
export interface StopRequest {
  readonly reason: StopReason;
  readonly graceSeconds: number;
  readonly requestedAt: string;
}
export interface Exit {
  readonly token: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly endedAt: string;
  /**
   * `never-started`: stopped before it began; `spawn-failed`: the system refused to start it; `no-exit-record`: it died with its
   * supervisor and nobody saw how; `machine-restarted`: it was there before the machine came up last.
   */
  readonly reason: 'never-started' | 'spawn-failed' | 'no-exit-record' | 'machine-restarted' | null;
}

export interface JobFiles {
  readonly directory: string;
  readonly log: string;
  readonly supervisorLog: string;
  claim(claim: Claim): Promise<boolean>;
  readClaim(): Promise<Claim | null>;
  recordQueued(queued: Queued): Promise<void>;
  readQueued(): Promise<Queued | null>;
  recordStarted(started: Started): Promise<void>;
  readStarted(): Promise<Started | null>;
  /** The first request stays. */
  recordStop(request: StopRequest): Promise<void>;
  readStop(): Promise<StopRequest | null>;
  /** The first end stays. */
  recordExit(exit: Exit): Promise<void>;
  readExit(): Promise<Exit | null>;
}

/** The records of the job in this directory. */
export function jobFiles(directory: string): JobFiles {
  const at = (name: string) => join(directory, name);
  const read = async (name: string) => readObject(at(name)) as Promise<unknown>;
  const record = async (name: string, value: unknown) => {
    await claimFile(at(name), value);
  };
  return {
    directory,
    log: at('log.txt'),
    supervisorLog: at('supervisor.log'),
    claim: (claim) => claimFile(at('job.json'), claim),
    readClaim: async () => (await read('job.json')) as Claim | null,
    recordQueued: (queued) => record('queued.json', queued),
    readQueued: async () => (await read('queued.json')) as Queued | null,
    recordStarted: (started) => record('started.json', started),
    readStarted: async () => (await read('started.json')) as Started | null,
    recordStop: (request) => record('stop.json', request),
    readStop: async () => (await read('stop.json')) as StopRequest | null,
    recordExit: (exit) => record('exit.json', exit),
    readExit: async () => (await read('exit.json')) as Exit | null,
  };
}
