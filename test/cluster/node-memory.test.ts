/** A node whose GPU failed under one pipeline, as the next pipeline, `temper nodes` and `temper doctor` see it. */
import { join } from 'node:path';
import { temper } from '../support/command-line.ts';
import type { Site } from '../support/embedded.ts';
import { makeStandInBed, standInRecipe, type StandInBed } from './stand-in-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const xid = 'NVRM: Xid (PCI:0000:c7:00): 79, pid=812, GPU has fallen off the bus.';
const trainer = `case "$(tr -d ' \\n' < "$TEMPER_REQUEST")" in
*'"pipeline":"breaks"'*'"attempt":1,'*) echo '${xid}' >&2; exit 1;;
esac
exec python "$TEMPER_STAND_IN" --step-seconds 0.01`;
let bed: StandInBed;
let site: Site;

beforeAll(async () => {
  bed = await makeStandInBed(cluster, 'nodes');
  site = await bed.site('nodes', {
    jobs: { default: { image: cluster.trainerImage, command: ['sh', '-c', trainer] } },
  });
  await site.startWorker();
}, 120_000);
afterAll(() => bed.close());

interface SeenJob {
  readonly spec: { readonly template: { readonly spec: { readonly affinity?: unknown } } };
}

async function affinityOf(attempt: string): Promise<unknown> {
  const named = (await bed.jobs()).filter((name) => name.endsWith(`-a${attempt}`));
  const jobs = await Promise.all(
    named.map(
      async (name) =>
        JSON.parse(
          await cluster.kubectl(['--namespace', bed.namespace, 'get', 'job', name, '--output', 'json']),
        ) as SeenJob,
    ),
  );
  return jobs.map(({ spec }) => spec.template.spec.affinity ?? null);
}

test('other pipelines keep away from it where they can, and run there where there is no other', async () => {
  const says = (...words: string[]) =>
    temper(words, {
      environment: {
        KUBECONFIG: cluster.kubeconfig,
        TEMPORAL_ADDRESS: bed.embedded.address,
        TEMPER_TASK_QUEUE: 'nodes',
        TEMPER_PROFILES: join(bed.embedded.folder, 'profiles'),
        TEMPER_STORE: site.store,
      },
    });
  await (await site.start('breaks', { recipe: standInRecipe(1) })).result();
  const listed = await says('nodes', '--json');
  const { suspects } = JSON.parse(listed.output) as { suspects: { node: string; what: string }[] };
  expect(suspects).toMatchObject([
    { what: 'Xid 79 (GPU has fallen off the bus)', times: 1, attempt: 'breaks/base a1' },
  ]);
  const node = suspects[0]?.node ?? '';
  expect((await cluster.kubectl(['get', 'nodes', '--output', 'name'])).trim()).toBe(`node/${node}`);
  const away = {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          preference: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: [node] }] },
        },
      ],
    },
  };
  await (await site.start('another', { recipe: standInRecipe(2) })).result();
  expect(await affinityOf('1')).toEqual(expect.arrayContaining([null, away]));

  const doctor = await says('doctor', '--profile', 'nodes');
  expect(doctor.output).toMatch(new RegExp(`warning +node memory +${node}: Xid 79 [^]*\\$ kubectl cordon ${node}\\n`));
  const forgotten = await says('nodes', 'forget', node, '--by', 'ada');
  expect(forgotten.output).toMatch(
    new RegExp(`^Jobs keep away from no node\\.\\n\\nada said at .* that ${node} is mended\\.\\n$`),
  );
}, 300_000);
