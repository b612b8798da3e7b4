/** Profiles of Kubernetes for tests: the least there is, with what a test changes. */
import { kubernetesProfileSchema, type KubernetesProfile } from '../../configs/schema-profile.ts';

export function kubernetesProfile(changes: Record<string, unknown> = {}): KubernetesProfile {
  return kubernetesProfileSchema.parse({
    name: 'site',
    backend: 'kubernetes',
    namespace: 'training',
    store: { claim: 'checkpoints', path: '/store' },
    jobs: { default: { image: 'registry.example/trainers:1' } },
    ...changes,
  });
}
