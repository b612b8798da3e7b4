/** What is said with a job that a cluster refuses, so that a person knows what to type. */
import { TemperError } from '../../decisions/errors.ts';
import { asTemperError, KubeError } from '../../k8s/kube-error.ts';
import { withMend } from '../../k8s/refused-submit.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';

const refusedBy = (message: string, status: number) =>
  asTemperError(new KubeError(message, { status }), 'create job t-sft-a1');

test.each([
  {
    title: 'a namespace that is not there: the command that makes it, in the context of the profile',
    error: refusedBy('namespaces "training" not found', 404),
    want: 'cannot create job t-sft-a1: namespaces "training" not found: make it with `kubectl --context gpus create namespace training`; `temper doctor --profile site` says what else is missing',
  },
  {
    title: 'anything else that is refused: who finds out what is missing',
    error: refusedBy('jobs.batch is forbidden: User "ada" cannot create resource "jobs"', 403),
    want: 'cannot create job t-sft-a1: jobs.batch is forbidden: User "ada" cannot create resource "jobs": `temper doctor --profile site` says what is missing, with the command that adds it',
  },
])('$title', ({ error, want }) => {
  expect(withMend(error, kubernetesProfile({ context: 'gpus' }))).toMatchObject({ code: 'job-refused', message: want });
});

test.each([
  { title: 'a quota that frees itself', error: refusedBy('exceeded quota: small', 403) },
  { title: 'a server that is away', error: refusedBy('no answer', 503) },
  {
    title: 'a Job of another that has the name',
    error: new TemperError('job-refused', 'a Job named t-sft-a1 is there already'),
  },
  { title: 'what nobody foresaw', error: new Error('x is undefined') },
])('$title is told as it is', ({ error }) => {
  expect(withMend(error, kubernetesProfile())).toBe(error);
});
