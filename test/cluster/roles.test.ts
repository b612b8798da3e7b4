/** A job of trainers and what serves them, on real pods of one real Job: who ends it, who is blamed, and that all may save. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobSpec, JobStatus } from '../../activities/backend.ts';
import type { JobCommand } from '../../decisions/command-line.ts';
import { rootCauseOf } from '../../decisions/root-cause.ts';
import { sentenceOfClass } from '../../decisions/sentences.ts';
import { eventually } from '../support/eventually.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
let bed: JobBed;

beforeAll(async () => {
  bed = await makeJobBed(cluster, 'roles');
});
afterAll(() => bed.close());

const pods = { nodes: 2, roles: { engine: 2 } };
const listens = ['sh', '-c', 'while true; do nc -l -p 9000 < /dev/null; done'];
/** Where a test's pods leave what they want to tell. */
const told = '${TEMPER_REQUEST%/*}/checkpoints';

async function jobOf(name: string, trainer: readonly string[], engine: readonly string[]): Promise<JobSpec> {
  const command: JobCommand = {
    argv: trainer,
    env: { TOLD: 'as $(HOME) $$ is' },
    workingDirectory: '/tmp',
    image: null,
    roles: [{ name: 'engine', argv: engine, env: { KIND: "an engine's own" } }],
  };
  const spec = await bed.spec(name);
  return { ...spec, command, labels: { ...spec.labels, kind: 'command' } };
}

const endedRanks = (status: JobStatus) => (status.state === 'ended' ? status.ranks : []);

test('the job is done when the trainers are, which found the engines by name; the engines are ended then', async () => {
  const meets = `for host in $TEMPER_HOSTS_ENGINE; do until echo x | nc $host 9000; do sleep 0.2; done; done`;
  const tells = `{ echo "$TEMPER_ROLE $TEMPER_ROLE_INDEX of $PET_NNODES, $PET_NODE_RANK at $PET_MASTER_ADDR"; echo "$TOLD, $KIND"; printf '[%s]' "$@"; } > "${told}/$HOSTNAME"`;
  const order = await jobOf(
    't-done-a1',
    ['sh', '-c', `${tells}; ${meets}`, 'sh', "it's", '$(HOME)', '$$', 'a  b', ''],
    ['sh', '-c', `${tells}; exec ${listens.join(' ').replace('-c ', "-c '")}'`, 'sh'],
  );
  const backend = bed.backendRunning('', pods);
  const end = await until(backend, await backend.submit(order), 'ended');
  expect(endedRanks(end).map(({ role, exitCode }) => [role?.name, role?.index, exitCode === 0])).toEqual([
    ['trainer', 0, true],
    ['trainer', 1, true],
    ['engine', 0, false],
    ['engine', 1, false],
  ]);
  expect(rootCauseOf(endedRanks(end))).toMatchObject({ rootCause: 'taken-along', weight: 'cascade' });
  const notes = join(order.directory, 'checkpoints');
  const names = (await readdir(notes)).sort();
  expect(names).toEqual([0, 1, 2, 3].map((index) => `t-done-a1-${String(index)}`));
  const [, second, , fourth] = await Promise.all(names.map((each) => readFile(join(notes, each), 'utf8')));
  expect(second).toBe(
    "trainer 1 of 2, 1 at t-done-a1-0.temper-workers\nas $(HOME) $$ is, \n[it's][$(HOME)][$$][a  b][]",
  );
  expect(fourth).toBe("engine 1 of 2, 1 at t-done-a1-2.temper-workers\nas $(HOME) $$ is, an engine's own\n[]");
});

test.each([
  {
    title: 'its watchdog ends it, with 0',
    engine: `[ "$TEMPER_ROLE_INDEX" = 0 ] && exec sleep 600; echo "TP0 watchdog timeout (self.watchdog_timeout=300, self.soft=False)"; exit 0`,
    want: 'engine-watchdog: engine 1 said "TP0 watchdog timeout (self.watchdog_timeout=300, self.soft=False)".',
  },
  {
    title: 'it goes without a word, with 0',
    engine: `[ "$TEMPER_ROLE_INDEX" = 0 ] && exec sleep 600; exit 0`,
    want: 'engine-dead: engine 1 said "error: role engine ended by itself with exit code 0 before the trainers were done".',
  },
  {
    title: 'it is killed',
    engine: `[ "$TEMPER_ROLE_INDEX" = 0 ] && exec sleep 600; kill -9 $$`,
    want: 'killed: engine 1 ended with exit code 137.',
  },
])('an engine that goes before the trainers ends the attempt, and is the cause: $title', async ({ engine, want }) => {
  // Trainers that do not hear SIGTERM are killed when their grace is over: that is not the cause.
  const order = await jobOf(
    `t-engine-${String(want.length)}-a1`,
    ['sh', '-c', 'trap "" TERM; while true; do sleep 1; done'],
    ['sh', '-c', engine],
  );
  const backend = bed.backendRunning('', pods);
  const ranks = endedRanks(await until(backend, await backend.submit(order), 'ended'));
  expect(ranks.map(({ exitCode }) => exitCode).slice(0, 2)).toEqual([137, 137]);
  const cause = rootCauseOf(ranks);
  expect(cause && sentenceOfClass(cause.class, cause.because)).toBe(want);
});

test('a stop reaches every pod: trainers and engines save', async () => {
  const saves = `trap 'echo saved > "${told}/$HOSTNAME"; exit 75' TERM; echo ready > "${told}/$HOSTNAME"; while true; do sleep 0.1; done`;
  const order = await jobOf('t-stop-a1', ['sh', '-c', saves], ['sh', '-c', saves]);
  const backend = bed.backendRunning('', pods);
  const job = await backend.submit(order);
  const notes = join(order.directory, 'checkpoints');
  const saidBy = async () =>
    Promise.all((await readdir(notes)).sort().map(async (each) => (await readFile(join(notes, each), 'utf8')).trim()));
  await eventually(
    'all four are ready',
    60,
    async () => (await saidBy()).filter((said) => said === 'ready').length === 4,
  );
  await backend.stop(job, { reason: 'cancel', graceSeconds: 10 });
  expect(await saidBy()).toEqual(['saved', 'saved', 'saved', 'saved']);
  const end = await backend.status(job);
  expect(end).toMatchObject({ state: 'ended', stopRequested: 'cancel' });
  expect(endedRanks(end).map(({ exitCode }) => exitCode)).toEqual([75, 75, 75, 75]);
});
