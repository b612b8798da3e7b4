/**
 * The fields of a profile: where a recipe runs. Never part of the identity of what is trained.
 *
 * Covers shape, defaults, ranges for both backends. Does not cover recipes (schema.ts) or which Kubernetes objects come of it (k8s/).
 */
import { z } from 'zod';
import { trainerRole } from './schema-command.ts';
import { count, name } from './schema-fields.ts';

const profileName = name.describe('What the profile is called: the name of its file.');
const absolutePath = z.string().regex(/^\/[^:]*[^:/]$/, 'must be an absolute path, without a slash at its end');
/** As Kubernetes names namespaces, claims and secrets (DNS-1123 subdomain). */
const objectName = z
  .string()
  .regex(
    /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
    'must be a name as Kubernetes has them: lower-case letters, digits, dashes and dots',
  )
  .max(253);
const quantityText = z
  .string()
  .regex(
    /^([1-9]\d*(\.\d+)?|0\.\d*[1-9]\d*)(m|k|[KMGTPE]i?)?$/,
    'must be a quantity as Kubernetes has them, such as 96, 0.5, 500m or 1600Gi',
  );
/** YAML has `4` as a number: it is taken as its text, as Kubernetes does. */
const quantity = z.union([quantityText, z.number()]).transform(String).pipe(quantityText);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** What a job asks for. Each field of a phase's own entry counts before that of its kind, and that before `default`. */
const jobNeeds = z.strictObject({
  image: z.string().min(1).optional().describe('Image of the trainer; pin it by digest.'),
  command: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('What is run in place of the image’s entry point, such as [torchrun, -m, temper_trainers].'),
  nodes: count
    .optional()
    .describe(
      'Pods that train together, each on a node of its own where it takes all GPUs; 1 unless named. The built-in trainers do so for sft, drgrpo and orpo.',
    ),
  roles: z
    .record(
      name.refine((role) => role !== trainerRole, 'is counted by nodes: roles are those that serve the trainers'),
      count,
    )
    .optional()
    .describe(
      'Pods of each further role that a command has (`params.roles`), by its name, beside the `nodes` that train; each pod asks for the same, since one Job has one template.',
    ),
  gpus: z
    .int()
    .min(0)
    .optional()
    .describe('GPUs of each pod; none unless named. Kinds that train together have a process for each.'),
  cpu: quantity.optional().describe('CPU that each pod asks for; there is no CPU limit.'),
  memory: quantity.optional().describe('Memory of each pod: what it asks for, and its limit.'),
  sharedMemory: quantity
    .optional()
    .describe('Size of /dev/shm, counted against memory; Kubernetes’ own 64 MB unless named.'),
});

/** An address that is a secret: it never stands in a profile. */
const secretAddress = z.union([
  z.strictObject({ env: variable.describe('Environment variable of the worker that holds the address.') }),
  z.strictObject({ file: absolutePath.describe('File at the worker that holds the address.') }),
]);

const ledger = z
  .strictObject({
    postgres: secretAddress.describe(
      'Where the address of a database is found, as postgresql://user:password@host:5432/database. It is a secret: it never stands in a profile.',
    ),
  })
  .optional()
  .describe(
    'A PostgreSQL database that holds the ledger: workers of several machines need one. An SQLite file at the worker unless named.',
  );

const notify = z
  .strictObject({
    slackWebhook: secretAddress.describe(
      'Where the address of an incoming webhook as Slack has them is found. It is a secret: it never stands in a profile.',
    ),
  })
  .optional()
  .describe('Who is told when a phase is held, fails or has spent a budget; nobody unless named.');

const evaluations = z
  .strictObject({
    shards: count
      .max(64)
      .describe(
        'Jobs beside each other that share the problems of an evaluation, each with what a job of kind `evaluate` asks for.',
      ),
  })
  .optional()
  .describe('How evaluations are spread; one job makes each unless named.');

export const localProfileSchema = z.strictObject({
  name: profileName,
  backend: z.literal('local').describe('What runs the jobs: processes of this machine.'),
  store: z
    .strictObject({
      path: z
        .string()
        .min(1)
        .optional()
        .describe(
          'A folder of this machine; `~` and relative paths are resolved by the worker. TEMPER_STORE unless named.',
        ),
    })
    .prefault({})
    .describe('Where runs, checkpoints and the ledger lie.'),
  slots: z
    .union([count, z.literal('auto')])
    .default('auto')
    .describe('Jobs that run at once: GPUs, or cores on a machine without.'),
  trainer: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'The program that jobs run, with its arguments: one that keeps the trainer contract. The built-in trainers unless named.',
    ),
  graceSeconds: z.number().positive().default(20).describe('Seconds between SIGTERM and SIGKILL.'),
  evaluations,
  ledger,
  notify,
});

export const kubernetesProfileSchema = z.strictObject({
  name: profileName,
  backend: z.literal('kubernetes').describe('What runs the jobs: Jobs of a Kubernetes cluster.'),
  context: z
    .string()
    .min(1)
    .optional()
    .describe('Context of the kubeconfig; inside a cluster its own, else the current one, unless named.'),
  namespace: objectName.describe('Namespace of the Jobs; best one that holds nothing else.'),
  store: z
    .strictObject({
      claim: objectName.describe('PersistentVolumeClaim with the store; several pods write to it (ReadWriteMany).'),
      path: absolutePath.describe('Where it is mounted: the same path in pods and at the worker.'),
      subPath: z.string().min(1).optional().describe('Folder of the volume that is the store; the whole unless named.'),
    })
    .describe('Where runs and checkpoints lie: a volume that worker and pods share.'),
  cache: z
    .strictObject({
      claim: objectName.describe('PersistentVolumeClaim that is mounted.'),
      path: absolutePath.describe('Where it is mounted; HF_HOME lies below it.'),
    })
    .optional()
    .describe('A volume for what hubs deliver; a folder that goes with the pod unless named.'),
  gpu: z
    .strictObject({
      resource: z.string().min(1).default('nvidia.com/gpu').describe('How the cluster calls a GPU.'),
      product: z.string().min(1).optional().describe('Nodes must carry this label `nvidia.com/gpu.product`.'),
    })
    .prefault({})
    .describe('What GPUs are asked for.'),
  jobs: z
    .record(name, jobNeeds)
    .describe('What jobs ask for: `default`, then by kind (such as `drgrpo`, `evaluate`) or by the name of a phase.'),
  queue: z
    .strictObject({
      kueue: objectName.describe('LocalQueue of Kueue that admits the Jobs.'),
      priorityClass: objectName.optional().describe('WorkloadPriorityClass of Kueue.'),
    })
    .optional()
    .describe(
      'A queue that Jobs wait in; the scheduler alone decides unless named. The cluster needs Kueue (kueue.x-k8s.io/v1beta2) and the worker the rights get, list, watch and patch on Workloads of the namespace.',
    ),
  priorityClass: objectName.optional().describe('PriorityClass of the pods.'),
  serviceAccount: objectName.default('default').describe('ServiceAccount of the pods; it needs no rights.'),
  rendezvousService: objectName
    .default('temper-workers')
    .describe('The headless Service that gives the pods of a Job their names.'),
  imagePullSecrets: z.array(objectName).default([]).describe('Secrets that images are pulled with.'),
  secrets: z
    .record(
      variable,
      z.strictObject({
        name: objectName.describe('Name of the Secret.'),
        key: z.string().min(1).describe('Its key that holds the value.'),
      }),
    )
    .default({})
    .describe('Environment variables from Secrets: never their values.'),
  environment: z
    .record(variable, z.string())
    .default({})
    .describe(
      'Further environment variables of every pod, such as NCCL_SOCKET_IFNAME; nothing that changes what is trained.',
    ),
  user: z.int().min(1).default(1000).describe('User and group that pods run as; what they write belongs to them.'),
  graceSeconds: count
    .default(600)
    .describe('Seconds that a pod has to save after SIGTERM; more than its longest save takes.'),
  podTemplate: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('A strategic merge patch of the pod template, for fabrics, taints and topologies of the site.'),
  evaluations,
  ledger,
  notify,
});

export const profileSchema = z.discriminatedUnion('backend', [localProfileSchema, kubernetesProfileSchema]);

export type Profile = z.output<typeof profileSchema>;
export type KubernetesProfile = z.output<typeof kubernetesProfileSchema>;
