/** Whether the objects that a profile names are there, and are what they must be: claims, classes, accounts, secrets, queues. Pure. */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { fine, type HealthCheck, type Mend, missing, notChecked, warning } from '../../decisions/health-check.ts';
import { claimMend, type ClaimWish } from './claim-mend.ts';
import type { Claim } from './cluster-objects.ts';
import { createObject, kubectl, kubectlIn } from './commands.ts';
import type { ClusterFacts, QueueFacts, SecretFact } from './facts.ts';
import type { Reading } from './reading.ts';

export function judgeObjects(facts: ClusterFacts, profile: KubernetesProfile, images: readonly string[]) {
  const { store, cache, serviceAccount, priorityClass } = profile;
  // With a folder of the volume, nobody knows where the whole of it lies.
  const storePath = store.subPath === undefined ? store.path : 'PATH';
  return [
    judgeClaim(facts, { name: 'store claim', reading: facts.storeClaim, claim: store.claim, path: storePath }, profile),
    ...(facts.cacheClaim === null || cache === undefined
      ? []
      : [judgeClaim(facts, { name: 'cache claim', reading: facts.cacheClaim, ...cache }, profile)]),
    presence(facts.serviceAccount, {
      name: 'account',
      called: `service account ${serviceAccount}`,
      mend: { command: kubectlIn(profile, 'create', 'serviceaccount', serviceAccount) },
    }),
    ...(facts.priorityClass === null || priorityClass === undefined
      ? []
      : [
          presence(facts.priorityClass, {
            name: 'priority',
            called: `priority class ${priorityClass}`,
            mend: { command: kubectl(profile, 'create', 'priorityclass', priorityClass, '--value=1000') },
          }),
        ]),
    ...facts.secrets.map((secret) => judgeSecret(secret, profile, images)),
    ...(facts.queue === null ? [] : judgeQueue(facts.queue, profile)),
  ];
}

interface Thing {
  readonly name: string;
  readonly called: string;
  readonly mend: Mend;
}

function presence(reading: Reading<unknown>, { name, called, mend }: Thing): HealthCheck {
  switch (reading.state) {
    case 'found':
      return fine(name, called);
    case 'absent':
      return missing(name, `there is no ${called}`, mend);
    case 'unreadable':
      return notChecked(name, `${called}: ${reading.why}`);
  }
}

interface ClaimCheck extends ClaimWish {
  readonly name: string;
  readonly reading: Reading<Claim>;
}

/** Phases and their evaluations run side by side, in pods that may come to lie on different nodes. */
function judgeClaim(facts: ClusterFacts, check: ClaimCheck, profile: KubernetesProfile): HealthCheck {
  const { name, reading, claim, path } = check;
  if (reading.state !== 'found')
    return presence(reading, { name, called: `claim ${claim}`, mend: claimMend(facts, { claim, path }, profile) });
  const { spec, status } = reading.value;
  const modes = spec.accessModes ?? [];
  const { change = '', command = '' } = claimMend(facts, { claim: `${claim}-shared`, path }, profile);
  const mend = {
    change: `a claim cannot be changed: make another one, and name it in \`${name.replace(' ', '.')}\` of the profile; ${change}`,
    command,
  };
  if (status?.phase === 'Lost') return missing(name, `the volume of claim ${claim} is lost`, mend);
  if (!modes.includes('ReadWriteMany')) {
    const what = `claim ${claim} is ${modes.join(', ')}, and pods on several nodes write to it (ReadWriteMany)`;
    const isEnough = isOnOneNode(facts) && modes.includes('ReadWriteOnce');
    return isEnough ? warning(name, `${what}; this cluster has one node, there it will do`) : missing(name, what, mend);
  }
  if (status?.phase === 'Bound') return fine(name, `claim ${claim} is bound, ReadWriteMany`);
  return warning(name, `claim ${claim} has no volume yet`, {
    change: `\`${kubectlIn(profile, 'describe', 'pvc', claim)}\` says why; some volumes come with the first pod`,
  });
}

const isOnOneNode = ({ nodes }: ClusterFacts): boolean => nodes.state === 'found' && nodes.value.length === 1;

function judgeSecret(
  { name, key, reading }: SecretFact,
  profile: KubernetesProfile,
  images: readonly string[],
): HealthCheck {
  const of =
    key === null
      ? [
          'docker-registry',
          name,
          `--docker-server=${hostOf(images[0] ?? '')}`,
          '--docker-username=USER',
          '--docker-password=PASSWORD',
        ]
      : ['generic', name, `--from-literal=${key}=VALUE`];
  return presence(reading, {
    name: key === null ? 'pull secret' : 'secret',
    called: key === null ? `secret ${name}, which images are pulled with` : `secret ${name} (its key ${key} is used)`,
    mend: { command: kubectlIn(profile, 'create', 'secret', ...of) },
  });
}

/** A name without a dot or a port before its first slash is one of Docker's own. */
function hostOf(image: string): string {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && /[.:]|^localhost$/.test(first) ? first : 'https://index.docker.io/v1/';
}

function judgeQueue({ apiVersion, localQueue, priorityClass }: QueueFacts, profile: KubernetesProfile): HealthCheck[] {
  const { kueue = '', priorityClass: named } = profile.queue ?? {};
  if (apiVersion === null)
    return [
      missing('queue', `Kueue is not installed, and the profile names its queue ${kueue}`, {
        command: kubectl(profile, 'apply', '--server-side', '-f', kueueManifests),
        change: 'leave `queue` out of the profile, and the scheduler alone decides; or install it:',
      }),
    ];
  const ofClass =
    priorityClass === null
      ? []
      : [
          presence(priorityClass, {
            name: 'queue',
            called: `workload priority class ${String(named)}`,
            mend: {
              command: createObject(profile, {
                apiVersion,
                kind: 'WorkloadPriorityClass',
                metadata: { name: named },
                value: 1000,
              }),
            },
          }),
        ];
  return [judgeLocalQueue(localQueue, { name: kueue, apiVersion }, profile), ...ofClass];
}

const kueueManifests = 'https://github.com/kubernetes-sigs/kueue/releases/latest/download/manifests.yaml';

function judgeLocalQueue(
  reading: QueueFacts['localQueue'],
  { name, apiVersion }: { readonly name: string; readonly apiVersion: string },
  profile: KubernetesProfile,
): HealthCheck {
  if (reading.state !== 'found')
    return presence(reading, {
      name: 'queue',
      called: `LocalQueue ${name}`,
      mend: {
        command: createObject(profile, {
          apiVersion,
          kind: 'LocalQueue',
          metadata: { name },
          spec: { clusterQueue: 'CLUSTERQUEUE' },
        }),
      },
    });
  const active = reading.value.status?.conditions?.find(({ type }) => type === 'Active');
  const clusterQueue = reading.value.spec.clusterQueue ?? 'none';
  if (active?.status === 'True') return fine('queue', `LocalQueue ${name} of ClusterQueue ${clusterQueue} is active`);
  const why = [active?.reason, active?.message].filter(Boolean).join(': ') || 'Kueue has not looked at it yet';
  return missing('queue', `LocalQueue ${name} is not active (${why})`, {
    change: `\`${kubectl(profile, 'describe', 'clusterqueue', clusterQueue)}\` says what its ClusterQueue lacks`,
  });
}
