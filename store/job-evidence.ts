/** Reads what a cluster said of a job, from the job's directory. Does not cover its shape (decisions/job-evidence.ts), nor writing it (k8s/). */
import { join } from 'node:path';
import { type JobEvidence, jobEvidenceFile, parseJobEvidence } from '../decisions/job-evidence.ts';
import { isAbsent } from './absence.ts';
import { readOwnText } from './own-file.ts';

/** Null when the file is absent, or not what Temper writes there: a trainer may write into its directory too. */
export async function readJobEvidence(directory: string): Promise<JobEvidence | null> {
  try {
    return parseJobEvidence(await readOwnText(join(directory, jobEvidenceFile)));
  } catch (error) {
    if (isAbsent(error) || ['ELOOP', 'EINVAL'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}
