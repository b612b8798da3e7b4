/** A phase that is terminated by hand leaves its job: the reaper of a worker ends it, with a real server and a real process. */
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { JobRef } from '../../activities/backend.ts';
import { reservationKey } from '../../decisions/reservation-key.ts';
import { createLocalBackend, type LocalBackend } from '../../local/backend.ts';
import { type Reaper, startReaper } from '../../workers/reaper.ts';
import { ownerStates } from '../../workers/workflow-owners.ts';
import { workflowNames } from '../../workflows/contract.ts';
import { type Embedded, type Site, startEmbedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../../scripts/free-ports.ts';

let embedded: Embedded;
let site: Site;
let backend: LocalBackend;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site('reaper');
  const command = () => ({ file: 'sleep', args: ['600'] });
  backend = createLocalBackend({ root: join(site.store, 'local'), slots: 8, command });
});
afterAll(async () => {
  for (const job of await backend.list()) await backend.stop(job, { reason: 'shutdown', graceSeconds: 0 });
  backend.close();
  await embedded.close();
});

/** A phase's run that nobody works on, and a job of it. */
async function phaseWithJob(name: string): Promise<{ runId: string; job: JobRef; terminate(): Promise<unknown> }> {
  const workflowId = `${name}/sft`;
  const start = () =>
    embedded.client.workflow.start(workflowNames.phase, { workflowId, taskQueue: 'nobody', args: [{}] });
  const run = await start();
  const runId = run.firstExecutionRunId;
  return {
    runId,
    job: await jobOf(name, runId),
    async terminate() {
      await run.terminate('by hand');
      return await start(); // the same id anew: an open run of the name, which does not own the job
    },
  };
}

async function jobOf(name: string, ownerRunId: string): Promise<JobRef> {
  const key = reservationKey({ ownerRunId, purpose: 'train', opened: 1 });
  const directory = await site.runs.openRun({ pipeline: name, phase: 'sft', purpose: 'train', number: 1 }, key);
  const labels = { pipeline: name, phase: 'sft', kind: 'sft', attempt: 1, workflowId: name };
  const needs = { slots: 1, memoryFactor: 1, sharedMemoryFactor: 1, avoidNodes: [] };
  const spec = { name: `t-${name}-a1`, directory, requestPath: site.runs.requestPath(directory), ...needs, labels };
  return await backend.submit(spec);
}

function reaperIn(minutes: number, client: Client = embedded.client): Reaper {
  const reaper = startReaper({
    backend,
    store: site.runs,
    ledger: site.ledger,
    ownerStates: (runIds) => ownerStates(client, runIds),
    graceSeconds: 1,
    now: () => new Date(Date.now() + minutes * 60_000),
    say: () => undefined,
  });
  reaper.close();
  return reaper;
}

/** The list of the server is a moment behind. */
async function listedAsClosed(runId: string): Promise<void> {
  await eventually(`run ${runId} is listed as closed`, 600, async () => {
    for await (const { closeTime } of embedded.client.workflow.list({ query: `RunId = '${runId}'` }))
      if (closeTime !== undefined) return true;
    return false;
  });
}

it('leaves the job of a run that was reset to the one that goes on in its place', async () => {
  const { workflowService, options } = embedded.client.workflow;
  const { namespace } = options;
  const [workflowId, queue] = ['reset/sft', { name: 'by-hand' }];
  const run = await embedded.client.workflow.start(workflowNames.phase, {
    workflowId,
    taskQueue: queue.name,
    args: [{}],
  });
  const { taskToken } = await embedded.client.withDeadline(Date.now() + 20_000, () =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: queue }),
  );
  await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands: [] });
  const { eventId } = (await run.fetchHistory()).events?.at(-1) ?? {};
  const job = await jobOf('reset', run.firstExecutionRunId);
  await workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId: run.firstExecutionRunId },
    workflowTaskFinishEventId: eventId ?? null,
    requestId: 'reset-once',
    reason: 'a person had it done again',
  });
  await listedAsClosed(run.firstExecutionRunId);
  expect(await reaperIn(60).look()).toEqual([]);
  expect((await backend.status(job)).state).toBe('running');
  await embedded.client.workflow.getHandle(workflowId).terminate('by hand');
  expect(await reaperIn(60).look()).toEqual([job]);
});

it('ends the job of a terminated run ten minutes later, though its id was started anew; not that of an open one', async () => {
  const [theirs, mine] = [await phaseWithJob('theirs'), await phaseWithJob('mine')];
  expect(await reaperIn(60).look()).toEqual([]);
  await theirs.terminate();
  await listedAsClosed(theirs.runId);
  expect(await reaperIn(9).look()).toEqual([]);

  const port = await freePort();
  const connection = Connection.lazy({ address: `127.0.0.1:${String(port)}` });
  const away = new Client({ connection });
  await expect(away.withDeadline(Date.now() + 2000, () => reaperIn(11, away).look())).rejects.toThrow();
  await connection.close();
  expect((await backend.status(theirs.job)).state).toBe('running');

  const stopped = await eventually('the job of the terminated run is stopped', 600, async () => {
    const jobs = await reaperIn(11).look();
    return jobs.length > 0 && jobs;
  });
  expect(stopped).toEqual([theirs.job]);
  expect(await backend.status(theirs.job)).toMatchObject({ state: 'ended', stopRequested: 'cancel' });
  expect((await backend.status(mine.job)).state).toBe('running');
});
