/** Reads what a cluster said of a job, from the job's directory. Does not cover its shape (decisions/job-evidence.ts), nor writing it (k8s/). */
import { join } from 'node:path';
import { type JobEvidence, jobEvidenceFile, parseJobEvidence } from '../decisions/job-evidence.ts';
import { readOwnTextIfThere } from './own-file.ts';

/** Null when the file is absent, or not what Temper writes there: a trainer may write into its directory too. */
export async function readJobEvidence(directory: string): Promise<JobEvidence | null> {
  return parseJobEvidence((await readOwnTextIfThere(join(directory, jobEvidenceFile))) ?? '');
}
