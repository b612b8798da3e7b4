/**
 * The worker is killed at each point of submit, await and stop, and at random: one Job an attempt, and never two attempts at once.
 *
 * Points are found, not listed: each request to the API server, and each write to the store and the ledger, that a pipeline of each story
 * makes when nothing goes wrong. Then one pipeline is stopped at each of them, and all of them lose their worker at once.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../bench/chaos/seeded-random.ts';
import { jobName } from '../../decisions/job-name.ts';
import { type PipelineHandle, type Site, type WorkerProcess } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { type FaultProxy, type SeenRequest, startFaultProxy } from './fault-proxy.ts';
import { makeStandInBed, type StandInBed, standInRecipe } from './stand-in-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
let bed: StandInBed;
let site: Site;
let proxy: FaultProxy;

beforeAll(async () => {
  bed = await makeStandInBed(cluster, 'kills');
  site = await bed.site('kills');
  proxy = await startFaultProxy(cluster.kubeconfig);
});
afterAll(async () => {
  await bed.close();
  await proxy.close();
});

/** `fails` loses its first attempt; `stops` is cancelled while it trains. */
const stories = ['ends', 'fails', 'stops'] as const;
type Story = (typeof stories)[number];

interface Point {
  readonly story: Story;
  /** As the held worker names it; a request begins with its method. */
  readonly name: string;
  /** Of a request: whether the server has done it. */
  readonly done: boolean;
}

let seeds = 0;
const handles = new Map<string, PipelineHandle>();

async function start(story: Story, id: string): Promise<void> {
  const steps = story === 'stops' ? 3000 : 3;
  handles.set(id, await site.start(id, { recipe: standInRecipe((seeds += 1), { steps }) }));
}

const attempts = async (id: string) => await site.ledger.attemptsOf({ workflowId: id, phase: 'base' });

/** Once it trains. */
async function cancelWhenItRuns(id: string): Promise<void> {
  const job = jobName({ workflowId: id, phase: 'base', attempt: 1 });
  await eventually(`${id} runs`, 300, () => bed.witness.hasRun(job));
  await handles.get(id)?.cancel();
}

const isRequest = (name: string): boolean => /^(GET|POST|PATCH|DELETE) /.test(name);

/** The same for every pipeline; null for what is nobody’s own. */
function pointOfRequest({ method, path, body, isWatch }: SeenRequest, id: string): string | null {
  if (isWatch || !(path + JSON.stringify(body ?? '')).includes(`t-${id}-`)) return null;
  const what = new URL(path, 'http://proxy').pathname
    .replace(/^.*\/namespaces\/[^/]+\//, '')
    .replaceAll(/t-[^/]+-a(\d+)[^/]*/g, 'a$1');
  const fields = method === 'PATCH' ? ` ${Object.keys((body as { spec: object }).spec).join()}` : '';
  return `${method} ${what}${fields}${method === 'POST' ? ` a${/-a(\d+)"/.exec(JSON.stringify(body))?.[1] ?? ''}` : ''}`;
}

/** Lets each pipeline do what it does up to its point; nothing of it comes to pass from there on. */
function holdRequests(points: ReadonlyMap<string, Point>, held: Set<string>): void {
  proxy.rule((request) => {
    for (const [id, { name, done }] of points) {
      if (pointOfRequest(request, id) !== name) continue;
      if (held.has(id)) return { kind: 'swallowed' };
      held.add(id);
      return { kind: done ? 'reply-lost' : 'swallowed' };
    }
    return null;
  });
}

async function heldWorker(holds: Readonly<Record<string, string>>, file: string): Promise<WorkerProcess> {
  await writeFile(`${file}.json`, JSON.stringify(holds));
  await writeFile(file, '');
  const environment = { KUBECONFIG: proxy.kubeconfig, TEMPER_TEST_HOLDS: `${file}.json`, TEMPER_TEST_POINTS: file };
  return await site.startWorker({ environment, program: 'held-worker-process.ts' });
}

const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n');

/** Every point that a pipeline of each story passes, each kind once: in a second attempt only the requests are tried again. */
async function findPoints(): Promise<readonly Point[]> {
  const file = join(bed.embedded.folder, 'points');
  const worker = await heldWorker({}, file);
  for (const story of stories) await start(story, `${story}-freely`);
  await cancelWhenItRuns('stops-freely');
  await Promise.all(stories.map((story) => endOf(story, `${story}-freely`)));
  await worker.stop();
  const written = await linesOf(file);
  const found = new Map<string, Point>();
  for (const story of stories) {
    const id = `${story}-freely`;
    const mine = `passed ${id} `;
    for (const line of written.filter((each) => each.startsWith(mine)))
      add({ story, name: line.slice(mine.length), done: false });
    for (const name of proxy.seen.flatMap((request) => pointOfRequest(request, id) ?? []))
      for (const done of [false, true]) add({ story, name, done });
  }
  function add(point: Point): void {
    const key = `${point.name.replace(/ #\d+$/, '')} ${String(point.done)}`;
    if (!found.has(key)) found.set(key, point);
  }
  return [...found.values()];
}

/** Rejects when the pipeline ends as its story does not. */
async function endOf(story: Story, id: string): Promise<void> {
  const handle = handles.get(id);
  const ended = await handle?.result().then(
    ({ promoted }) => promoted.map(({ outcome }) => outcome.state).join(),
    (error: unknown) => (error as Error).message,
  );
  expect({ id, ended }).toMatchObject({
    ended: story === 'stops' ? (expect.stringMatching(/cancel/i) as string) : 'completed',
  });
}

const wanted: Readonly<Record<Story, readonly string[]>> = {
  ends: ['completed'],
  fails: ['failed', 'completed'],
  stops: ['cancelled'],
};

test('killed at each point in turn: one Job for each attempt, no attempt lost, none beside another, and nothing is left of what was cancelled', async () => {
  const points = await findPoints();
  const named = new Map(points.map((point, index) => [`${point.story}-${String(index)}`, point]));
  const requests = new Map([...named].filter(([, { name }]) => isRequest(name)));
  const held = new Set<string>();
  holdRequests(requests, held);
  const file = join(bed.embedded.folder, 'holds');
  const holds = Object.fromEntries(
    [...named].filter(([, { name }]) => !isRequest(name)).map(([id, { name }]) => [id, name]),
  );
  const doomed = await heldWorker(holds, file);
  await Promise.all([...named].map(([id, { story }]) => start(story, id)));
  const cancels = [...named.keys()].filter((id) => id.startsWith('stops-')).map(cancelWhenItRuns);
  let unheld: readonly string[] = [];
  await eventually('each is held at its point, or passed it by', 300, async () => {
    const atPoint = new Set([...held, ...(await linesOf(file)).flatMap((line) => /^held (\S+)/.exec(line)?.[1] ?? [])]);
    unheld = [...named.keys()].filter((id) => !atPoint.has(id));
    const states = await Promise.all(unheld.map(async (id) => (await handles.get(id)?.describe())?.status.name));
    return states.every((state) => state !== 'RUNNING');
  }).catch((error: unknown) => {
    throw new Error(`not held: ${unheld.map((id) => `${id} ${named.get(id)?.name ?? ''}`).join('; ')}`, {
      cause: error,
    });
  });
  await Promise.all(cancels);
  await doomed.kill();
  console.log(
    `killed at ${String(named.size - unheld.length)} points of ${String(named.size)}; passed by: ${unheld.map((id) => named.get(id)?.name).join('; ') || 'none'}`,
  );
  expect(unheld.length).toBeLessThan(named.size / 10);

  await site.startWorker();
  await Promise.all([...named].map(([id, { story }]) => endOf(story, id)));
  for (const [id, { story, name, done }] of named) {
    const tried = await attempts(id);
    const made = tried.map(({ number }) =>
      bed.witness.madeOf(jobName({ workflowId: id, phase: 'base', attempt: number })),
    );
    expect({ id, name, done, states: tried.map(({ state }) => state), made }).toEqual({
      id,
      name,
      done,
      states: wanted[story],
      made: wanted[story].map(() => 1),
    });
  }
  expect(bed.witness.twins()).toEqual([]);
  await eventually(
    'nothing is left of what was cancelled',
    60,
    async () => !(await bed.jobs()).some((name) => name.startsWith('t-stops-')),
  );
}, 900_000);

test('two workers of one task queue, each killed again and again at random: one Job for each attempt, and none beside another', async () => {
  const seed = Number(process.env['TEMPER_TEST_SEED'] ?? Date.now() % 100_000);
  console.log(`kills by TEMPER_TEST_SEED=${String(seed)}`);
  const random = seededRandom(seed);
  const shared = await bed.site('shared');
  const phases = ['base', 'sft', 'orpo'];
  const workers = [await shared.startWorker(), await shared.startWorker()];
  const pipelines = await Promise.all(
    ['shared-a', 'shared-b', 'shared-c'].map((id) =>
      shared.start(id, { recipe: standInRecipe((seeds += 1), { phases, steps: 8 }) }),
    ),
  );
  const ended = Promise.all(pipelines.map((pipeline) => pipeline.result()));
  for (let kills = 0; kills < 6; kills += 1) {
    await pause(500 + 4000 * random.next());
    const which = kills % 2;
    await workers[which]?.kill();
    workers[which] = await shared.startWorker();
  }
  const promoted = (await ended).map((result) => result.promoted.map(({ outcome }) => outcome.state));
  expect(promoted).toEqual(pipelines.map(() => ['completed', 'completed', 'completed']));
  for (const { workflowId } of pipelines) {
    for (const phase of phases) {
      const tried = await shared.ledger.attemptsOf({ workflowId, phase });
      const made = tried.map(({ jobName: name }) => bed.witness.madeOf(name ?? ''));
      expect({ workflowId, phase, states: tried.map(({ state }) => state), made }).toEqual({
        workflowId,
        phase,
        states: ['completed'],
        made: [1],
      });
    }
  }
  expect(bed.witness.twins()).toEqual([]);
}, 600_000);
