/**
 * The Job that tries a store from within: the pod template of a real job, with a few words of shell in place of its program. Pure.
 *
 * Uses nothing of the image but `sh`. Asks for next to nothing, so that it waits behind no training.
 */
import type { Job } from '../kube-types.ts';
import { doctorLabel } from '../labels.ts';
import { trainerContainer } from '../pod-template.ts';
import type { JobWish } from './wish.ts';

export const probeExitCodes = { done: 0, unseen: 3, unwritable: 4 } as const;

export interface ProbeJobOrder {
  readonly name: string;
  /** The folder that the worker made, and the word that it wrote there. */
  readonly folder: string;
  readonly word: string;
  /** Tells the probes of one doctor apart. */
  readonly index: number;
  readonly seconds: number;
}

/** Tries for a while: a network filesystem may show a new file late. */
const script = `
tries=0
until read -r word < "$1/from-worker" || [ "$word" = "$2" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 20 ] || exit ${String(probeExitCodes.unseen)}
  sleep 1
done 2> /dev/null
[ "$word" = "$2" ] || exit ${String(probeExitCodes.unseen)}
printf %s "$2" > "$1/from-pod-$3" || exit ${String(probeExitCodes.unwritable)}
`;

const moreSeconds = 60;
const lifeAfterEndSeconds = 60;

export function probeJob({ manifest }: JobWish, { name, folder, word, index, seconds }: ProbeJobOrder): Job {
  const { template } = manifest.spec ?? {};
  const { initContainers: _init, containers = [], ...pod } = template?.spec ?? {};
  const labels = { 'app.kubernetes.io/part-of': 'temper', [doctorLabel]: word };
  const {
    workingDir: _directory,
    args: _args,
    ...trainer
  } = containers.find((each) => each.name === trainerContainer) ?? {
    name: trainerContainer,
  };
  const probe = {
    ...trainer,
    command: ['sh', '-c', script, 'sh', folder, word, String(index)],
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '64Mi' } },
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: manifest.metadata?.namespace ?? '', labels },
    spec: {
      completionMode: 'Indexed',
      completions: 1,
      parallelism: 1,
      backoffLimit: 0,
      activeDeadlineSeconds: seconds + moreSeconds,
      ttlSecondsAfterFinished: lifeAfterEndSeconds,
      template: {
        metadata: { labels },
        spec: { ...pod, terminationGracePeriodSeconds: 1, containers: [probe] },
      },
    },
  };
}
