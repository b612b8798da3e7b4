/**
 * What is kept of a job before the cluster forgets it: the log of a pod that is being ended, and what the cluster said of a Job that goes.
 *
 * Of our own jobs alone: whoever may make a Job may write any directory into its annotations. Does not cover the end of a job that
 * somebody watches (job-reader.ts), nor a stop by Temper (job-stop.ts).
 */
import type { JobRef } from '../activities/backend.ts';
import type { SeenJob } from './evidence.ts';
import { type EvidenceKeeper, notWritten } from './evidence-file.ts';
import { readJobEnd } from './job-end.ts';
import { keepLastWords } from './job-logs.ts';
import type { ObserverOptions } from './job-observer.ts';
import type { KubeClient } from './kube-client.ts';
import { isOurs, type OwnerOf, refOf } from './whose-job.ts';

interface LastWords {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly ownerOf: OwnerOf | undefined;
  readonly evidence: EvidenceKeeper;
  /** Told where what is known of a job that goes cannot be kept. */
  readonly warn: (sentence: string) => void;
}

export function lastWords(of: LastWords): Required<Pick<ObserverOptions, 'ending' | 'gone'>> {
  const { ownerOf, evidence, warn } = of;
  const ofOurs = async (seen: SeenJob, keep: (job: JobRef) => Promise<void>) => {
    const job = refOf(seen);
    // A directory that cannot be read is nobody's.
    const isKept = job.directory !== '' && (await isOurs(seen.job, ownerOf).catch(() => false));
    if (isKept)
      await keep(job).catch((error: unknown) => {
        warn(notWritten(job, error));
      });
  };
  return {
    ending(seen, pod) {
      void ofOurs(seen, async (job) => {
        await Promise.all([keepLastWords(job, pod, of), evidence.keep(job, seen)]);
      });
    },
    gone(seen) {
      void ofOurs(seen, async (job) => {
        // Whose end is recorded was kept with it, as a rule by the worker that then deleted it.
        if ((await readJobEnd(job)) === null) await evidence.keep(job, seen);
      });
    },
  };
}
