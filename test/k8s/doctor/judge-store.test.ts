/** What happened to the word that worker and pods wrote for each other, in words. */
import { judgeStore } from '../../../k8s/doctor/judge-store.ts';
import type { PodOutcome } from '../../../k8s/doctor/store-probe.ts';
import { kubernetesProfile } from '../../support/kubernetes-profile.ts';

const judged = (end: PodOutcome['end'], changes: Record<string, unknown> = {}) =>
  judgeStore({ at: 'pods', pods: [{ image: 'x:1', title: 'sft', end }] }, kubernetesProfile(changes))[0];
const notStarted = (text: string, isCertain = true) => ({ state: 'not-started', text, isCertain }) as const;

test.each([
  { end: { state: 'seen-both-ways' }, want: { verdict: 'ok', what: /worker and pods see the same \/store/ } },
  { end: { state: 'unread' }, want: { verdict: 'missing', what: /does not see at \/store what a pod wrote/ } },
  { end: { state: 'ended', exitCode: 3, text: '' }, want: { verdict: 'missing', what: /they see different folders/ } },
  {
    end: { state: 'ended', exitCode: 4, text: 'Permission denied' },
    want: { verdict: 'missing', what: /as user 1000, may not write.*Permission denied/ },
  },
  {
    end: { state: 'ended', exitCode: 127, text: 'sh: not found' },
    want: { verdict: 'missing', what: /ended with 127: sh: not found/ },
  },
  {
    end: notStarted('ImagePullBackOff: no such host'),
    want: { name: 'image', verdict: 'missing', what: /a pod of sft \(x:1\) did not start: ImagePullBackOff/ },
  },
  {
    end: notStarted('FailedCreate: violates PodSecurity'),
    want: { name: 'store', verdict: 'missing', what: /FailedCreate/ },
  },
  {
    end: notStarted('FailedCreate: exceeded quota: team'),
    want: { verdict: 'not-checked', what: /exceeded quota: team: try again/ },
  },
  {
    end: notStarted('Pulling, after 120 s', false),
    want: { verdict: 'not-checked', what: /--timeout gives it longer/ },
  },
] as const)('$want.verdict: $want.what', ({ end, want }) => {
  expect(judged(end)).toMatchObject({ ...want, what: expect.stringMatching(want.what) as string });
});

test('an image that is not pulled with a secret says which', () => {
  const check = judged(notStarted('ErrImagePull: denied'), { imagePullSecrets: ['registry'] });
  expect(check?.mend?.change).toContain('renew the secret registry');
});

test.each([
  { why: 'absent', want: /this machine has no folder \/store/ },
  { why: 'unwritable', want: /cannot be written to from this machine/ },
] as const)('a worker to which the store is $why', ({ why, want }) => {
  const [check] = judgeStore({ at: 'worker', why, text: 'EACCES' }, kubernetesProfile());
  expect(check).toMatchObject({ name: 'store', verdict: 'missing', what: expect.stringMatching(want) as string });
});
