/** What the probe of the store comes to: whether worker and pods see the same one, and whether each image starts. Pure. */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { fine, type HealthCheck, missing, notChecked } from '../../decisions/health-check.ts';
import { kubectlIn } from './commands.ts';
import { probeExitCodes } from './probe-job.ts';
import type { ProbeEnd } from './probe-watch.ts';
import type { PodOutcome, ProbeOutcome } from './store-probe.ts';

export function judgeStore(outcome: ProbeOutcome, profile: KubernetesProfile): HealthCheck[] {
  if (outcome.at === 'pods') return outcome.pods.map((pod) => judgePod(pod, profile));
  const { path, claim } = profile.store;
  if (outcome.why === 'absent')
    return [
      missing('store', `this machine has no folder ${path}, where workers see the store (${outcome.text})`, {
        change: `mount the volume of claim ${claim} there, or run this where the worker runs`,
      }),
    ];
  return [
    missing('store', `${path} cannot be written to from this machine (${outcome.text})`, {
      change: `make it writable for this user; workers run as root, or as user ${String(profile.user)} like the pods`,
    }),
  ];
}

function judgePod({ image, title, end }: PodOutcome, profile: KubernetesProfile): HealthCheck {
  const { path, claim } = profile.store;
  switch (end.state) {
    case 'seen-both-ways':
      return fine('store', `worker and pods see the same ${path}: each read what the other wrote (${image})`);
    case 'unread':
      return missing('store', `this machine does not see at ${path} what a pod wrote there`, {
        change: otherFolder(path, claim),
      });
    case 'ended':
      return judgeEnd(image, end, profile);
    case 'not-started':
      return judgeStart({ image, title }, end, profile);
  }
}

const otherFolder = (path: string, claim: string): string =>
  `mount the volume of claim ${claim} at ${path} on this machine, or name in \`store\` of the profile what is mounted`;

function judgeEnd(image: string, end: Extract<ProbeEnd, { state: 'ended' }>, profile: KubernetesProfile): HealthCheck {
  const { path, claim } = profile.store;
  const user = String(profile.user);
  if (end.exitCode === probeExitCodes.unseen)
    return missing('store', `a pod does not see at ${path} what this machine wrote there: they see different folders`, {
      change: otherFolder(path, claim),
    });
  if (end.exitCode === probeExitCodes.unwritable)
    return missing('store', `a pod, as user ${user}, may not write where this machine does (${end.text})`, {
      change: `run workers as root or as user ${user}, or set \`user\` of the profile to the user that workers run as`,
    });
  return missing('store', `a pod of ${image} ended with ${String(end.exitCode)}: ${end.text}`, {
    change: 'change what it names in the profile; of the image only `sh` was used',
  });
}

function judgeStart(
  { image, title }: Pick<PodOutcome, 'image' | 'title'>,
  { text, isCertain }: Extract<ProbeEnd, { state: 'not-started' }>,
  profile: KubernetesProfile,
): HealthCheck {
  const what = `a pod of ${title} (${image}) did not start: ${text}`;
  if (/ImagePull|InvalidImageName/.test(text)) {
    const secrets = profile.imagePullSecrets.join(', ');
    const account = kubectlIn(profile, 'get', 'serviceaccount', profile.serviceAccount, '-o', 'yaml');
    return missing('image', what, {
      change:
        secrets === ''
          ? `push the image, or name the secret that it is pulled with in \`imagePullSecrets\` (\`${account}\` may have one)`
          : `push the image, or renew the secret ${secrets} that it is pulled with`,
    });
  }
  if (/exceeded quota/.test(text)) return notChecked('store', `${what}: try again when others have ended`);
  if (!isCertain) return notChecked('store', `${what}; --timeout gives it longer`);
  return missing('store', what, { change: 'change what it names in the profile, or make it' });
}
