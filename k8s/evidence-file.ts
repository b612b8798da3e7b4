/**
 * Keeps what the cluster says of a job beside what it wrote, in `job-evidence.json` of the attempt's directory, before the cluster forgets it:
 * when its end is recorded, when Temper stops it, when a pod of it is being ended, and when the Job itself goes.
 *
 * What was kept before by this worker or another is joined, so that a restart in between loses nothing. Does not cover what is kept
 * (evidence.ts), nor logs (job-logs.ts).
 */
import { join } from 'node:path';
import type { JobRef } from '../activities/backend.ts';
import { jobEvidenceFile, type JobEvidence, parseJobEvidence } from '../decisions/job-evidence.ts';
import { readOwnText } from '../store/own-file.ts';
import { writeByRename } from '../store/write-by-rename.ts';
import { evidenceOf, joinedEvidence, type SeenJob } from './evidence.ts';

export class EvidenceKeeper {
  readonly #now: () => Date;
  /** By the job's uid: what is to be written next. Who sees something later has seen all that went before. */
  readonly #next = new Map<string, JobEvidence>();
  /** By the job's uid: one at a time, for each reads what the one before has written. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** What is seen at this moment. Never rejects: evidence that cannot be written keeps no job from its end. */
  async keep(job: JobRef, seen: SeenJob): Promise<void> {
    this.#next.set(job.uid, evidenceOf(seen, this.#now()));
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
      const evidence = this.#next.get(job.uid);
      if (evidence === undefined) return;
      this.#next.delete(job.uid);
      await writeEvidence(job, evidence).catch(() => undefined);
    }
  }
}

async function writeEvidence({ directory, uid }: JobRef, now: JobEvidence): Promise<void> {
  const path = join(directory, jobEvidenceFile);
  // What is not there, or no file of ours, is written anew.
  const before = parseJobEvidence(await readOwnText(path).catch(() => ''));
  const joined = before?.uid === uid ? joinedEvidence(before, now) : now;
  await writeByRename(path, `${JSON.stringify(joined, null, 2)}\n`);
}
