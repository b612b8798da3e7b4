/** What a cluster asks of a worker, and its leaving: a probe's, Prometheus' and the kubelet's view of one real worker. */
import { startEmbedded, signalTrainer, trainerOf, untilStep, type Embedded, type Site } from '../support/embedded.ts';
import { startTemper, type Running } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';

const taskQueue = 'health';
let embedded: Embedded;
let site: Site;
let environment: Record<string, string>;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site(taskQueue);
  environment = { TEMPORAL_ADDRESS: embedded.address, TEMPER_STORE: site.store, TEMPER_TASK_QUEUE: taskQueue };
});
afterAll(() => embedded.close());

async function startWorker(): Promise<{
  readonly worker: Running;
  readonly ask: (path: string) => Promise<[number, string]>;
}> {
  const worker = startTemper(['worker', '--health-port', '0'], { environment });
  const [, address = ''] = /health and metrics: (http:\S+)/.exec(await worker.said('/metrics).')) ?? [];
  return {
    worker,
    async ask(path) {
      const answer = await fetch(`${address}${path}`);
      return [answer.status, await answer.text()];
    },
  };
}

test('a worker is ready, counts its attempts beside what the SDK counts, and leaves within a pod’s grace; the job runs on', async () => {
  const { worker, ask } = await startWorker();
  expect(await ask('/healthz')).toEqual([200, 'ok\n']);
  expect(await ask('/readyz')).toEqual([200, 'worker: ok\ntemporal: ok\nbackend: ok\n']);

  const pipeline = await site.start('counted', { recipe: await shortRecipe(['base'], careless) });
  const directory = site.attempt('counted', 'base');
  await untilStep(site, directory, 1);
  const trainer = await signalTrainer(directory, 'SIGSTOP');
  const metrics = await eventually('the attempt is counted', 600, async () => {
    const [status, text] = await ask('/metrics');
    return status === 200 && text.includes('temper_live_attempts{purpose="train",state="running"} 1\n') ? text : null;
  });
  expect(metrics).toContain('temper_ready{profile="local"} 1\n');
  expect(metrics).toContain('temper_unseen_seconds{profile="local"} 0\n');
  expect(metrics).toMatch(/^temporal_\w+_total\{.*task_queue="health".*\} [1-9]/m);

  const begun = performance.now();
  expect(await worker.stop('SIGTERM')).toMatchObject({ exitCode: 0 });
  const seconds = (performance.now() - begun) / 1000;
  console.log(`the worker left ${seconds.toFixed(1)} s after SIGTERM`);
  expect(seconds).toBeLessThan(30); // the grace that the chart gives a pod

  expect(await trainerOf(directory)).toEqual(trainer);
  await signalTrainer(directory, 'SIGCONT');
  const next = await startWorker();
  expect((await pipeline.result()).promoted.map(({ outcome }) => outcome.state)).toEqual(['completed']);
  await next.worker.stop('SIGTERM');
});
