/** The trainers' image in a `restricted` namespace: a user without rights, a read-only root, a volume that others write to as well. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeNamespace, readTestCluster } from './test-bed.ts';
import type { TestNamespace } from './test-bed.ts';
import { endOfPod, jobOf, workloadsIn } from './workloads.ts';
import type { Workloads } from './workloads.ts';

const cluster = readTestCluster();
let namespace: TestNamespace;
let workloads: Workloads;

beforeAll(async () => {
  namespace = await makeNamespace(cluster, 'trainer');
  workloads = workloadsIn(cluster, namespace.name);
});
afterAll(async () => {
  await namespace.remove();
});

const program = `
import os, pathlib, torch, temper_trainers.kinds
pathlib.Path("/store/seen").write_text(f"{os.getuid()} {temper_trainers.__file__} {float(torch.ones(3).sum())}")
try:
    pathlib.Path("/opt/temper/mine").write_text("no")
except OSError as error:
    print("refused:", error.strerror)
`;

test('a pod of it imports the trainers and torch, writes to its volume as user 1000, and to nothing else', async () => {
  const container = {
    image: cluster.trainerImage,
    args: ['python', '-c', program],
    volumeClaim: namespace.volumeClaim,
  };
  await workloads.create(jobOf({ name: 'imports', container }));
  const end = await workloads.endOf('imports', 150);
  const logs = await workloads.logsOf('imports');
  expect({ ...end, logs }).toMatchObject({ type: 'Complete' });
  expect(logs).toContain('refused: Read-only file system');
  if (namespace.volumeFolder === null) return; // a foreign cluster's volume does not lie on this machine
  const seen = join(namespace.volumeFolder, 'seen');
  expect(readFileSync(seen, 'utf8')).toBe('1000 /opt/temper/trainers/temper_trainers/__init__.py 3.0');
  expect(statSync(seen).uid).toBe(1000);
});

test('without arguments it runs the phase that TEMPER_REQUEST names, and says so when there is none (exit code 64)', async () => {
  await workloads.create(jobOf({ name: 'unasked', container: { image: cluster.trainerImage } }));
  expect(await workloads.endOf('unasked', 60)).toMatchObject({ type: 'Failed' });
  const [pod] = await workloads.podsOf('unasked');
  expect(endOfPod(pod)).toMatchObject({ exitCode: 64 });
  expect(await workloads.logsOf('unasked')).toContain('TEMPER_REQUEST is not set');
});

const rendezvous = `
import os, socket, time, torch, torch.distributed as group
deadline = time.monotonic() + 60
while True:
    try:
        socket.gethostbyname(os.environ["MASTER_ADDR"])
        break
    except OSError:
        if time.monotonic() > deadline: raise
        time.sleep(0.1)
group.init_process_group("gloo", rank=int(os.environ["JOB_COMPLETION_INDEX"]), world_size=2)
sum = torch.tensor([1.0 + group.get_rank()])
group.all_reduce(sum)
print("sum", float(sum))
group.destroy_process_group()
`;

test('two pods find each other by name and add their numbers up', async () => {
  const selector = { 'job-name': 'ring' };
  await workloads.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'peers' },
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector },
  });
  const environment = { MASTER_ADDR: 'ring-0.peers', MASTER_PORT: '29500', OMP_NUM_THREADS: '1' };
  const container = { image: cluster.trainerImage, args: ['python', '-c', rendezvous], environment };
  await workloads.create(jobOf({ name: 'ring', pods: 2, subdomain: 'peers', container }));
  const end = await workloads.endOf('ring', 150);
  const logs = await workloads.logsOf('ring');
  expect({ ...end, logs }).toMatchObject({ type: 'Complete', logs: 'sum 3.0\nsum 3.0\n' });
});
