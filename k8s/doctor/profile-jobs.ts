/** A Job for each entry of a profile's `jobs`: what there is to try where no recipe says which phases will run. */
import { join } from 'node:path';
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { jobName } from '../../decisions/job-name.ts';
import { jobManifest } from '../job-manifest.ts';
import type { Job } from '../kube-types.ts';

const pipeline = 'doctor';

/** Throws `invalid-input` for an entry without an image. */
export function jobsOfProfile(profile: KubernetesProfile): Job[] {
  const entries = Object.keys(profile.jobs);
  return (entries.length > 0 ? entries : ['default']).map((entry) =>
    jobManifest(
      {
        name: jobName({ workflowId: pipeline, phase: entry, attempt: 1 }),
        directory: profile.store.path,
        requestPath: join(profile.store.path, 'request.json'),
        memoryFactor: 1,
        sharedMemoryFactor: 1,
        avoidNodes: [],
        labels: { pipeline, phase: entry, kind: entry, attempt: 1, workflowId: pipeline },
      },
      profile,
    ),
  );
}
