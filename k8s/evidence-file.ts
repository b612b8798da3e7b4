/**
 * Keeps what the cluster says of a job beside what it wrote, in `job-evidence.json` of the attempt's directory, before the cluster forgets it:
 * when its end is recorded, when Temper stops it, when a pod of it is being ended, and when the Job itself goes.
 *
 * What was kept before by this worker or another is joined, so that a restart in between loses nothing. Does not cover what is kept
 * (evidence.ts), nor logs (job-logs.ts).
 */
import { join } from 'node:path';
import type { JobRef } from '../activities/backend.ts';
import { jobEvidenceFile, parseJobEvidence } from '../decisions/job-evidence.ts';
import { readOwnTextIfThere } from '../store/own-file.ts';
import { writeByRename } from '../store/write-by-rename.ts';
import { evidenceOf, type SeenJob } from './evidence.ts';

interface Keeping {
  readonly now: () => Date;
  /** Told once for each job of which nothing can be written. */
  readonly warn: (sentence: string) => void;
}

interface Seen {
  readonly seen: SeenJob;
  readonly at: Date;
}

export class EvidenceKeeper {
  readonly #now: () => Date;
  readonly #warn: (sentence: string) => void;
  /** By the job's uid: what is to be written next. Who sees something later has seen all that went before. */
  readonly #next = new Map<string, Seen>();
  /** By the job's uid: one at a time, for each reads what the one before has written. */
  readonly #writing = new Map<string, Promise<void>>();
  /** Uids of the jobs whose last writing failed. */
  readonly #failed = new Set<string>();

  constructor({ now, warn }: Keeping) {
    this.#now = now;
    this.#warn = warn;
  }

  /** What is seen at this moment. Never rejects: evidence that cannot be written keeps no job from its end. */
  async keep(job: JobRef, seen: SeenJob): Promise<void> {
    this.#next.set(job.uid, { seen, at: this.#now() });
    const writing =
      this.#writing.get(job.uid) ??
      this.#writeAll(job).finally(() => {
        this.#writing.delete(job.uid);
      });
    this.#writing.set(job.uid, writing);
    await writing;
  }

  async #writeAll(job: JobRef): Promise<void> {
    for (;;) {
      const next = this.#next.get(job.uid);
      if (next === undefined) return;
      this.#next.delete(job.uid);
      try {
        await writeEvidence(job, next);
        this.#failed.delete(job.uid);
      } catch (error) {
        if (this.#failed.has(job.uid)) continue;
        this.#failed.add(job.uid);
        this.#warn(notWritten(job, error));
      }
    }
  }
}

/** A sentence for who runs the worker. */
export function notWritten({ name, directory }: JobRef, error: unknown): string {
  return `what the cluster said of job ${name} is not kept in ${join(directory, jobEvidenceFile)} (${String(error)}): once the Job is gone nobody can tell more of its end than its logs do; see whether the store has room and the worker may write there`;
}

async function writeEvidence({ directory, uid }: JobRef, { seen, at }: Seen): Promise<void> {
  const path = join(directory, jobEvidenceFile);
  // What is not there, or no file of ours, is written anew.
  const before = parseJobEvidence((await readOwnTextIfThere(path).catch(() => null)) ?? '');
  const evidence = evidenceOf(seen, at, before?.uid === uid ? before : undefined);
  await writeByRename(path, `${JSON.stringify(evidence, null, 2)}\n`);
}
