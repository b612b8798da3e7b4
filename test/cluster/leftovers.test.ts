/**
 * A cluster leaves nothing on the machine: after `down`, and after a bring-up that was killed at any point. Brings up clusters of its own;
 * the other clusters of the machine (the suite's among them) are left out of the comparison.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { missingOn } from './machine/toolchain.ts';
import { thisMachine } from './machine/this-machine.ts';
import { eventually } from '../support/eventually.ts';
import { listSlots, takeDownOf } from './life/slots.ts';
import type { ClusterState, ProcessMark } from './life/state.ts';
import { markOfProcess } from './life/state.ts';
import { addedTo, snapshotOfMachine } from './machine-snapshot.ts';
import type { MachineSnapshot } from './machine-snapshot.ts';
import { testWhere } from '../support/test-where.ts';
import { readTestCluster } from './test-bed.ts';
import { podSpec } from './workloads.ts';

const missing = missingOn(thisMachine(process.env));
const here = testWhere(missing.length === 0 ? null : `missing: ${missing.join(', ')}`);
const program = join(import.meta.dirname, 'cluster.ts');
const self = markOfProcess(process.pid) as ProcessMark;
const silent = () => undefined;

/** Starts `up` for a cluster that is ours. */
function startUp() {
  return spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, 'up', '--owned-by', String(process.pid)],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
}

/** The state of the cluster that this process owns. */
function ours(): ClusterState | undefined {
  const owned = listSlots().map(({ standing }) => (standing.kind === 'owned' ? standing.state : undefined));
  return owned.find((state) => state?.owner?.pid === self.pid);
}

/** What ended a moment ago may still show: it has to go by itself. What others took away meanwhile is no matter of ours. */
async function expectNothingLeft(before: MachineSnapshot): Promise<void> {
  let left: Partial<MachineSnapshot> = {};
  await eventually('nothing is left', 60, () => {
    left = addedTo(before, snapshotOfMachine(self));
    return Object.keys(left).length === 0;
  }).catch(() => undefined);
  expect(left).toEqual({});
}

here('after down nothing is left of a cluster on which pods were running', async () => {
  const before = snapshotOfMachine(self);
  const up = startUp();
  let printed = '';
  up.stdout.on('data', (part: Buffer) => (printed += part.toString()));
  const [code] = (await once(up, 'exit')) as [number | null];
  expect(code).toBe(0);
  const [, kubeconfig = ''] = /^export KUBECONFIG=(.*)$/m.exec(printed) ?? [];
  const cluster = readTestCluster({ ...process.env, KUBECONFIG: kubeconfig });
  const spec = podSpec({
    image: cluster.busyboxImage,
    command: ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done'],
  });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'stays' }, spec };
  await cluster.kubectl(['create', '--filename', '-'], JSON.stringify(pod));
  await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/stays', '--timeout=60s']);
  const meanwhile = snapshotOfMachine(self);
  // It would be seen: each of these has to go again.
  expect(Object.keys(addedTo(before, meanwhile)).sort()).toEqual(['controlGroups', 'interfaces', 'paths', 'processes']);
  await takeDownOf(self, silent);
  await expectNothingLeft(before);
});

here.each<{ when: string; is: (state: ClusterState) => boolean }>([
  { when: 'as soon as it has a slot', is: () => true },
  { when: 'when its namespaces are there', is: ({ init }) => init !== null },
  { when: 'while the API server starts', is: ({ daemons }) => 'kube-apiserver' in daemons },
  { when: 'while the node registers', is: ({ daemons }) => 'kubelet' in daemons },
])('up is killed $when: down leaves nothing', async ({ is }) => {
  const before = snapshotOfMachine(self);
  const up = startUp();
  await eventually('it is that far', 150, () => {
    const state = ours();
    return state !== undefined && is(state);
  });
  up.kill('SIGKILL');
  await once(up, 'exit');
  await takeDownOf(self, silent);
  await expectNothingLeft(before);
});

here('a daemon was stopped, and with it what waits for it outside: down leaves nothing', async () => {
  const before = snapshotOfMachine(self);
  const up = startUp();
  const etcd = await eventually('etcd runs', 150, () => ours()?.daemons['etcd']?.process ?? null);
  process.kill(etcd.pid, 'SIGSTOP');
  up.kill('SIGKILL');
  await once(up, 'exit');
  await takeDownOf(self, silent);
  await expectNothingLeft(before);
});

here('up is asked to stop: it takes down what it has made, and says so with its exit code', async () => {
  const before = snapshotOfMachine(self);
  const up = startUp();
  await eventually('its namespaces are there', 150, () => ours()?.init !== null && ours() !== undefined);
  up.kill('SIGTERM');
  const [code] = (await once(up, 'exit')) as [number | null];
  expect(code).toBe(143);
  await expectNothingLeft(before);
});

here('a suite that is killed, so that nobody takes its cluster down: its guardian does', async () => {
  const before = snapshotOfMachine(self);
  const { KUBECONFIG: _, ...environment } = process.env;
  const suite = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'suite.ts')],
    {
      stdio: 'ignore',
      env: environment,
    },
  );
  await eventually('its API server starts', 150, () => {
    const states = listSlots().map(({ standing }) => (standing.kind === 'owned' ? standing.state : undefined));
    const state = states.find((one) => one?.owner?.pid === suite.pid);
    return state !== undefined && 'kube-apiserver' in state.daemons;
  });
  suite.kill('SIGKILL');
  await expectNothingLeft(before);
});
