/**
 * Ends as a real cluster told them (Kubernetes 1.36, `recorded/ends.json`): from the objects of its API to the class and the sentence.
 *
 * What only a cloud's node does, or a fault of the machine, is in test/decisions/backend-reasons.test.ts.
 */
import { readFileSync } from 'node:fs';
import { classify } from '../../decisions/classify.ts';
import type { FailureClass } from '../../decisions/failure.ts';
import { sentenceOfClass } from '../../decisions/sentences.ts';
import { statusOfJob } from '../../k8s/job-state.ts';
import type { SeenPod, SentJob } from '../../k8s/kube-types.ts';
import { evidence } from '../support/builders.ts';

const recorded = JSON.parse(readFileSync(new URL('recorded/ends.json', import.meta.url), 'utf8')) as Record<
  string,
  { readonly job: SentJob; readonly pods: readonly SeenPod[] }
>;

test.each<{ name: string; want: FailureClass; says: RegExp }>([
  { name: 'oom', want: 'host-oom', says: /OOMKilled of rank 0/ },
  { name: 'evicted', want: 'evicted', says: /EvictionByEvictionAPI of rank 0 .*: Eviction API: evicting/ },
  { name: 'deleted', want: 'interrupted', says: /the pod of rank 0 .*was deleted, and not by Temper/ },
  { name: 'force-deleted', want: 'interrupted', says: /was deleted, and not by Temper/ },
  { name: 'usage', want: 'config', says: /exit code 64/ },
  { name: 'deadline', want: 'deadline', says: /DeadlineExceeded .*: Job was active longer/ },
  { name: 'pod-deadline', want: 'deadline', says: /DeadlineExceeded .*: Pod was active on the node longer/ },
  { name: 'no-such-file', want: 'config', says: /StartError of rank 0 .*no such file or directory/ },
  { name: 'no-such-in-path', want: 'config', says: /StartError of rank 0 .*executable file not found in \$PATH/ },
  { name: 'permission', want: 'config', says: /StartError of rank 0 .*permission denied/ },
  { name: 'workdir', want: 'config', says: /StartError of rank 0 .*no such file or directory/ },
  { name: 'out-of-cpu', want: 'unschedulable', says: /OutOfcpu of rank 0 .*didn't have enough resource: cpu/ },
  { name: 'node-affinity', want: 'unschedulable', says: /NodeAffinity of rank 0 .*didn't match/ },
  { name: 'init-fails', want: 'unknown', says: /container fetch of rank 0 ended with exit code 3/ },
  { name: 'init-oom', want: 'config', says: /OOMKilled of container fetch of rank 0/ },
  { name: 'sidecar-oom', want: 'config', says: /OOMKilled of container side of rank 0/ },
  // A sidecar that its kubelet starts again is no cause: the trainer ended with 1.
  { name: 'native-sidecar-oom', want: 'unknown', says: /rank 0 ended with exit code 1/ },
])('$name: $want', ({ name, want, says }) => {
  const { job, pods } = recorded[name] ?? fail(name);
  const status = statusOfJob({ job, pods }, new Date());
  if (status.state !== 'ended') throw new Error(`it has not ended: ${JSON.stringify(status)}`);
  const verdict = classify(
    evidence()
      .withoutResult()
      .ranks(...status.ranks)
      .build(),
  );
  if (verdict.kind !== 'failed') throw new Error('it is complete');
  expect({ class: verdict.class, sentence: sentenceOfClass(verdict.class, verdict.because) }).toEqual({
    class: want,
    sentence: expect.stringMatching(says) as string,
  });
});

function fail(name: string): never {
  throw new Error(`nothing was recorded of ${name}`);
}
