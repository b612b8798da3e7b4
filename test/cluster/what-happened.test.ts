/**
 * A node whose GPU failed under one pipeline: what a person reads of it when Job and pods are gone, and how the next pipeline, `temper nodes`
 * and `temper doctor` see the node.
 */
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
});
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

test('what happened is told in one sentence, with all the evidence beside it when Job and pods are gone', async () => {
  await (await site.start('breaks', { recipe: standInRecipe(1, { steps: 8 }) })).result();
  await cluster.kubectl(['--namespace', bed.namespace, 'delete', 'jobs', '--all', '--wait=true']);
  const told = await says('explain', 'breaks');
  expect(told.output).toMatch(
    /attempt 1, node \S+: Xid 79 \(GPU has fallen off the bus\) before its first step; began anew as attempt 2/,
  );
  const whole = await says('explain', 'breaks', 'base', '--attempt', '1');
  expect(whole.output).toMatch(/rank 0, node \S+: exit code 1, .*\n +\| NVRM: Xid/);
  expect(whole.output).toMatch(
    /\n +job: Failed, [^]*\n +pod t-breaks\S+, rank 0, node [^]*\n +container trainer: exit code 1/,
  );
  expect((await says('logs', 'breaks', 'base', '--attempt', '1', '--rank', '0')).output).toContain(xid);
  const absent = await says('logs', 'breaks', 'base', '--attempt', '1', '--rank', '3');
  expect([absent.exitCode, absent.errors]).toEqual([2, expect.stringContaining('has no log of rank 3; there are: 0.')]);
}, 300_000);

test('other pipelines keep away from it where they can, and run there where there is no other', async () => {
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
  expect(await affinityOf('1')).toEqual([away]);

  const doctor = await says('doctor', '--profile', 'nodes');
  expect(doctor.output).toMatch(new RegExp(`warning +node memory +${node}: Xid 79 [^]*\\$ kubectl cordon ${node}\\n`));
  const forgotten = await says('nodes', 'forget', node, '--by', 'ada');
  expect(forgotten.output).toMatch(
    new RegExp(`^Jobs keep away from no node\\.\\n\\nada said at .* that ${node} is mended\\.\\n$`),
  );
}, 300_000);
