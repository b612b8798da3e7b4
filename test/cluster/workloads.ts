/** Pods and Jobs as tests make them: they pass Pod Security `restricted`, and what they end with is read back. */
import { eventually } from '../support/eventually.ts';
import type { TestCluster } from './test-bed.ts';

export interface Container {
  readonly image: string;
  /** The image's own entry point when there is none. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
  /** Name of a claim that is mounted at /store. */
  readonly volumeClaim?: string;
}

/** The specification of a pod that may write to /tmp and its volume, and to nothing else. */
export function podSpec({ image, command, args, environment = {}, limits = {}, volumeClaim }: Container): object {
  const volumes = [
    { name: 'tmp', emptyDir: {} },
    ...(volumeClaim === undefined ? [] : [{ name: 'store', persistentVolumeClaim: { claimName: volumeClaim } }]),
  ];
  return {
    restartPolicy: 'Never',
    enableServiceLinks: false,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 5,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'main',
        image,
        imagePullPolicy: 'IfNotPresent',
        ...(command === undefined ? {} : { command }),
        ...(args === undefined ? {} : { args }),
        env: Object.entries(environment).map(([name, value]) => ({ name, value })),
        resources: { limits },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
      },
    ],
    volumes,
  };
}

export interface Job {
  readonly name: string;
  readonly pods?: number;
  /** Name of the headless Service that gives its pods names. */
  readonly subdomain?: string;
  readonly container: Container;
}

/** An Indexed Job that is never retried. */
export function jobOf({ name, pods = 1, subdomain, container }: Job): object {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      completionMode: 'Indexed',
      completions: pods,
      parallelism: pods,
      backoffLimit: 0,
      template: { spec: { ...podSpec(container), ...(subdomain === undefined ? {} : { subdomain }) } },
    },
  };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Ended {
  readonly exitCode: number;
  readonly reason: string;
}

export interface Pod {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly { readonly state: { readonly terminated?: Ended } }[];
  };
}

/** One namespace of a cluster, as a test asks and changes it. */
export interface Workloads {
  create(object: object): Promise<void>;
  podsOf(job: string): Promise<readonly Pod[]>;
  /** Its Complete or Failed condition, once it has one. */
  endOf(job: string, seconds: number): Promise<Condition>;
  logsOf(job: string): Promise<string>;
}

export function workloadsIn(cluster: TestCluster, namespace: string): Workloads {
  const kubectl = (args: readonly string[], input?: string) =>
    cluster.kubectl(['--namespace', namespace, ...args], input);
  const read = async <T>(...args: readonly string[]) =>
    JSON.parse(await kubectl(['get', '--output', 'json', ...args])) as T;
  return {
    async create(object) {
      await kubectl(['create', '--filename', '-'], JSON.stringify(object));
    },
    async podsOf(job) {
      return (await read<{ items: readonly Pod[] }>('pods', '--selector', `job-name=${job}`)).items;
    },
    async endOf(job, seconds) {
      return await eventually(`job ${job} ends`, seconds, async () => {
        const { status } = await read<{ status: { conditions?: readonly Condition[] } }>('job', job);
        const ends = (status.conditions ?? []).filter(({ type }) => type === 'Complete' || type === 'Failed');
        return ends.find((condition) => condition.status === 'True') ?? null;
      });
    },
    async logsOf(job) {
      return await kubectl(['logs', '--selector', `job-name=${job}`, '--tail=-1']);
    },
  };
}

/** How the pod's container ended; undefined while it runs. */
export function endOfPod(pod: Pod | undefined): Ended | undefined {
  return pod?.status.containerStatuses?.[0]?.state.terminated;
}
