/** What a person is told of an end that others brought about, with what was said beside the cluster's word. */
import { phraseOf } from '../../decisions/class-phrases.ts';
import type { ClassReason, FailureClass } from '../../decisions/failure.ts';
import { evidence, incident } from '../support/builders.ts';

const reason = (word: string, more: object = {}): ClassReason => ({
  rule: 'backend-reason',
  rank: 1,
  reason: word,
  node: 'gpu-7',
  ...more,
});

test.each<{ name: FailureClass; because: ClassReason; want: object }>([
  {
    name: 'evicted',
    because: reason('Evicted', { says: 'The node was low on resource: memory. ' }),
    want: { what: 'evicted by the kubelet of its node', quote: 'The node was low on resource: memory.' },
  },
  {
    name: 'disk-full',
    because: reason('Evicted', { says: 'Usage of EmptyDir volume "tmp" exceeds the limit "1Gi".' }),
    want: { quote: 'Usage of EmptyDir volume "tmp" exceeds the limit "1Gi".' },
  },
  {
    name: 'interrupted',
    because: reason('PodDeleted'),
    want: { what: 'its pod was deleted', more: ', and not by Temper' },
  },
  {
    name: 'node-lost',
    because: reason('PodVanished'),
    want: { what: 'its pod is gone with its node', more: ', and nobody saw it end' },
  },
  {
    name: 'node-lost',
    because: reason('Terminated', { says: 'Pod was terminated in response to imminent node shutdown.' }),
    want: { what: 'the node was shut down' },
  },
  {
    name: 'config',
    because: reason('StartError', { says: 'exec: "/no/such": no such file or directory' }),
    want: { what: 'its settings cannot work (StartError)', quote: 'exec: "/no/such": no such file or directory' },
  },
  {
    name: 'config',
    because: reason('OOMKilled', { container: 'fetch' }),
    want: { what: 'its settings cannot work: container fetch of rank 1 (OOMKilled)' },
  },
])('$name: $want.what', ({ name, because, want }) => {
  expect(phraseOf(incident(name, { because, rank: 1 }).build(1), evidence().build())).toMatchObject(want);
});
