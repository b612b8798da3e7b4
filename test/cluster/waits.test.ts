/** Jobs that do not start, on the real cluster: what each waits for, that it starts when that comes, and that none holds GPUs for nothing. */
import type { WaitKind } from '../../decisions/states.ts';
import { jobName } from '../../decisions/job-name.ts';
import { releaseUpdate } from '../../workflows/messages.ts';
import { phaseOf, type PipelineHandle, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { type JobBed, makeJobBed } from './job-bed.ts';
import { makeStandInBed, type StandInBed } from './stand-in-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();

describe('what a job waits for', () => {
  let bed: JobBed;
  beforeAll(async () => {
    bed = await makeJobBed(cluster, 'waits');
    await cluster.kubectl(['create', '--filename', '-'], JSON.stringify(claims()));
  });
  afterAll(async () => {
    await bed.close();
    await cluster.kubectl(['delete', 'persistentvolume', `${bed.namespace}-away`, '--wait=true', '--timeout=30s']);
  });

  /** One that no volume will ever be bound to, and one whose volume is a folder that is not there. */
  function claims(): object {
    const { namespace } = bed;
    const spec = { accessModes: ['ReadWriteMany'], storageClassName: '' };
    const capacity = { storage: '1Gi' };
    const claim = (name: string, more: object) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace },
      spec: { ...spec, ...more, resources: { requests: capacity } },
    });
    const away = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `${namespace}-away` },
      spec: {
        ...spec,
        capacity,
        claimRef: { namespace, name: 'away' },
        hostPath: { path: '/nonesuch', type: 'Directory' },
      },
    };
    return {
      apiVersion: 'v1',
      kind: 'List',
      items: [claim('unbound', {}), claim('away', { volumeName: `${namespace}-away` }), away],
    };
  }
  const image = cluster.busyboxImage;
  const volume = (source: object) => ({
    podTemplate: {
      spec: {
        volumes: [{ name: 'more', ...source }],
        containers: [{ name: 'trainer', volumeMounts: [{ name: 'more', mountPath: '/more' }] }],
      },
    },
  });
  const claimed = (claimName: string) => volume({ persistentVolumeClaim: { claimName } });
  const asking = (needs: object) => ({ jobs: { default: { image, command: ['sleep', '600'], ...needs } } });

  test.each<{
    name: string;
    title: string;
    profile: Readonly<Record<string, unknown>>;
    want: WaitKind;
    reason: RegExp;
  }>([
    {
      name: 'no-image',
      title: 'an image whose registry does not answer',
      profile: asking({ image: 'temper.test/nonesuch:1' }),
      want: 'image-pull',
      reason: /^(ErrImagePull|ImagePullBackOff): .*nonesuch/,
    },
    {
      name: 'no-name',
      title: 'an image whose name is none',
      profile: asking({ image: 'Temper:Test:1' }),
      want: 'config',
      reason: /^InvalidImageName/,
    },
    {
      name: 'no-secret',
      title: 'a secret that is missing',
      profile: { secrets: { HF_TOKEN: { name: 'nonesuch', key: 'token' } } },
      want: 'config',
      reason: /secret "nonesuch" not found/,
    },
    {
      name: 'no-map',
      title: 'a ConfigMap that is mounted and missing',
      profile: volume({ configMap: { name: 'nonesuch' } }),
      want: 'config',
      reason: /^FailedMount: .*configmap "nonesuch" not found/,
    },
    {
      name: 'unbound',
      title: 'a claim that never binds',
      profile: claimed('unbound'),
      want: 'claim',
      reason: /unbound immediate PersistentVolumeClaims/,
    },
    {
      name: 'away',
      title: 'a mount that fails',
      profile: claimed('away'),
      want: 'mount',
      reason: /^FailedMount: .*hostPath type check failed/,
    },
    {
      name: 'no-gpus',
      title: 'GPUs that no node has',
      profile: asking({ gpus: 64 }),
      want: 'unschedulable',
      reason: /Insufficient nvidia.com\/gpu/,
    },
    {
      name: 'no-account',
      title: 'a ServiceAccount that is missing',
      profile: { serviceAccount: 'nonesuch' },
      want: 'admission',
      reason: /serviceaccount "nonesuch" not found/,
    },
    {
      name: 'refused',
      title: 'pods that Pod Security refuses',
      profile: { podTemplate: { spec: { hostNetwork: true } } },
      want: 'admission',
      reason: /violates PodSecurity "restricted/,
    },
  ])(
    '$title: $want, since when another worker knows too, and a stop leaves nothing',
    async ({ name, profile, want, reason }) => {
      const backend = bed.backendOn('sleep 600', profile);
      const job = await backend.submit(await bed.spec(`t-${name}-a1`));
      const told = await eventually(`it waits for ${want}`, 60, async () => {
        const status = await backend.status(job);
        return 'waitsFor' in status && status.waitsFor === want && reason.test(status.reason ?? '') ? status : null;
      });
      const other = bed.backendOn('sleep 600', profile);
      const known = await eventually('another worker knows', 60, async () => {
        const status = await other.status(job);
        return 'waitsFor' in status && status.waitsFor === want ? status : null;
      });
      expect(known.since).toBe(told.since);
      await other.stop(job, { reason: 'cancel', graceSeconds: 5 });
      expect(await other.status(job)).toMatchObject({ state: 'ended', startedAt: null });
      await eventually('nothing is left', 60, async () => {
        const left = await cluster.kubectl(['--namespace', bed.namespace, 'get', 'jobs,pods', '--output', 'name']);
        return !left.includes(`t-${name}-`);
      });
    },
  );
});

describe('pipelines', () => {
  let bed: StandInBed;
  let site: Site;
  beforeAll(async () => {
    bed = await makeStandInBed(cluster, 'waiting');
    const one = { image: cluster.trainerImage, command: ['sh', '-c', script] };
    site = await bed.site('waiting', {
      jobs: { default: one, one: { gpus: 1 }, wide: { nodes: 2, gpus: 4 }, long: { nodes: 3, gpus: 2 } },
    });
    await site.startWorker();
  });
  afterAll(() => bed.close());

  /** All of its pods must be there before it begins: each leaves a file of its attempt. */
  const script = `mkdir -p "$(dirname "$TEMPER_REQUEST")/there"; touch "$(dirname "$TEMPER_REQUEST")/there/$PET_NODE_RANK"
until [ "$(ls "$(dirname "$TEMPER_REQUEST")/there" | wc -l)" = "$PET_NNODES" ]; do sleep 0.2; done
[ "$PET_NODE_RANK" = 0 ] || exit 0
exec python "$TEMPER_STAND_IN" --step-seconds 0.2`;
  let seeds = 0;
  const start = async (
    id: string,
    phase: string,
    { at = site, budgets = {} }: { at?: Site; budgets?: object } = {},
  ) => {
    const phases = [{ name: phase, kind: 'base', params: { steps: 5, checkpointEvery: 2 } }];
    seeds += 1;
    return await at.start(id, {
      recipe: { name: 'stand-in', seed: seeds, model: { tiny: { seed: seeds } }, phases, budgets },
    });
  };
  const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', bed.namespace, ...args]);
  const noted = (pipeline: PipelineHandle, phase: string, note: RegExp) =>
    eventually(`it says ${String(note)}`, 90, async () => note.test((await phaseOf(pipeline, phase))?.note ?? ''));
  const endState = async (pipeline: PipelineHandle) => (await pipeline.result()).promoted.at(-1)?.outcome.state;
  const attemptsOf = async (id: string, phase: string) =>
    (await site.ledger.attemptsOf({ workflowId: id, phase })).map(({ state }) => state);

  /** A pod of somebody else that holds so many GPUs. */
  async function stranger(name: string, gpus: number): Promise<void> {
    const limits = { 'nvidia.com/gpu': gpus };
    const container = {
      name: 'holds',
      image: cluster.busyboxImage,
      command: ['sleep', '3600'],
      resources: { limits },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    };
    const securityContext = { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } };
    const spec = { containers: [container], securityContext, terminationGracePeriodSeconds: 0 };
    await cluster.kubectl(
      ['--namespace', bed.namespace, 'create', '--filename', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }),
    );
    await kubectl('wait', `pod/${name}`, '--for=condition=Ready', '--timeout=60s');
  }

  test('a node without room says so on the page, and a quota of GPUs in its own words; each starts when there is room, as attempt 1', async () => {
    await stranger('greedy', 8);
    const roomless = await start('roomless', 'one');
    await noted(
      roomless,
      'one',
      /^waits for a node with room since .* UTC, at most 60 min \(Unschedulable: .*Insufficient nvidia.com\/gpu/,
    );
    await kubectl('delete', 'pod', 'greedy');
    expect(await endState(roomless)).toBe('completed');
    await kubectl('create', 'quota', 'gpus', '--hard=requests.nvidia.com/gpu=0');
    const poor = await start('poor', 'one');
    await noted(
      poor,
      'one',
      /^waits for room in a quota since .*\(exceeded quota: gpus, requested: requests.nvidia.com\/gpu=1/,
    );
    await kubectl('delete', 'quota', 'gpus');
    expect(await endState(poor)).toBe('completed');
    for (const id of ['roomless', 'poor']) expect(await attemptsOf(id, 'one')).toEqual(['completed']);
  }, 300_000);

  test('a secret that is missing: held with its name, the Job gone, and goes on when it is there', async () => {
    const at = await bed.site('no-secret', { secrets: { HF_TOKEN: { name: 'hf', key: 'token' } } });
    await at.startWorker();
    const pipeline = await start('secretless', 'base', { at, budgets: { startMinutes: 0.2 } });
    const note = await eventually('it is held', 90, async () => {
      const phase = await phaseOf(pipeline, 'base');
      return phase?.state === 'held' ? phase.note : null;
    });
    expect(note).toMatch(
      /it waited \d+ s for its container to be made \(CreateContainerConfigError: secret "hf" not found\)/,
    );
    expect(await bed.jobs()).not.toContain(jobName({ workflowId: 'secretless', phase: 'base', attempt: 1 }));
    await kubectl('create', 'secret', 'generic', 'hf', '--from-literal=token=x');
    await pipeline.executeUpdate(releaseUpdate, { args: [{}] });
    expect(await endState(pipeline)).toBe('completed');
  }, 240_000);

  test('two jobs that each hold what the other needs: one lets go, free of charge, and both come to their end (C44)', async () => {
    const budgets = { attempts: 1, startMinutes: 1 };
    await stranger('between', 2);
    const wide = await start('wide', 'wide', { budgets }); // 2 × 4 GPUs: one pod has its place
    await eventually('one of its two pods is placed', 60, async () => (await placed('wide')) === 1);
    const long = await start('long', 'long', { budgets }); // 3 × 2 GPUs: one pod has its place, and a second one soon
    await eventually('one of its three pods is placed', 60, async () => (await placed('long')) === 1);
    await kubectl('delete', 'pod', 'between');
    await eventually(
      'each holds four GPUs of eight',
      30,
      async () => (await placed('wide')) === 1 && (await placed('long')) === 2,
    );
    expect(await Promise.all([endState(wide), endState(long)])).toEqual(['completed', 'completed']);
    const incidents = await Promise.all(
      [wide, long].map(({ workflowId: phase, firstExecutionRunId: runId }) =>
        site.ledger.incidentsOf({ runId, phase }),
      ),
    );
    const classes = incidents.flat().map(({ class: name }) => name);
    expect(new Set(classes)).toEqual(new Set(['half-scheduled']));
    expect(await Promise.all([attemptsOf('wide', 'wide'), attemptsOf('long', 'long')])).toEqual(
      incidents.map((of) => [...of.map(() => 'failed'), 'completed']),
    );
  }, 420_000);

  /** How many pods of attempt 1 have a node. */
  async function placed(id: string): Promise<number> {
    const job = jobName({ workflowId: id, phase: id, attempt: 1 });
    const nodes = await kubectl(
      'get',
      'pods',
      '--selector',
      `job-name=${job}`,
      '--output',
      'jsonpath={range .items[*]}{.spec.nodeName}{"\\n"}{end}',
    );
    return nodes.split('\n').filter((node) => node !== '').length;
  }
});
