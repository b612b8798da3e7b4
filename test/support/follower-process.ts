/** A process that follows the log of a job of Kubernetes until somebody kills it. Its one argument: `{"profile": …, "job": …}`. */
import type { JobRef } from '../../activities/backend.ts';
import { kubernetesProfileSchema } from '../../configs/schema-profile.ts';
import { createKubernetesBackend } from '../../k8s/backend.ts';
import { createKubeClient } from '../../k8s/kube-client.ts';

const { profile, job } = JSON.parse(process.argv[2] ?? '') as { readonly profile: unknown; readonly job: JobRef };
const backend = createKubernetesBackend(kubernetesProfileSchema.parse(profile), createKubeClient());
await backend.logs?.follow(job, 0, { signal: new AbortController().signal, heard: () => undefined });
