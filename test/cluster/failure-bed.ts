/**
 * Every row of failure-rows.ts as a pipeline of its own, side by side on a real cluster with one worker: attempt 1 dies as its row says, and
 * what follows is what the worker decides. Then the Jobs and pods are deleted, so that what is left is what was kept.
 */
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explanationOfPipeline } from '../../activities/explain.ts';
import { findPipeline } from '../../activities/named-run.ts';
import type { Incident } from '../../decisions/failure.ts';
import { jobName } from '../../decisions/job-name.ts';
import type { RetryDecision } from '../../decisions/retry.ts';
import { endOfRun } from '../../decisions/run-state.ts';
import { repository } from '../../scripts/repository.ts';
import { runDirectory } from '../../store/run-directory.ts';
import { createRunStore } from '../../store/run-store.ts';
import { phaseOf, type PipelineHandle, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { strike } from './blows.ts';
import type { FailureRow } from './failure-rows.ts';
import { makeStandInBed, type StandInBed } from './stand-in-bed.ts';
import type { TestCluster } from './test-bed.ts';

export interface LifeOfRow {
  readonly incidents: readonly Incident[];
  readonly decision: RetryDecision;
  /** All that is kept of attempt 1. */
  readonly kept: string;
  /** What `temper explain` says of the pipeline, without what was decided. */
  readonly told: string;
  /** Newest complete checkpoint of attempt 1; 0 without one. */
  readonly saved: number;
  /** Where attempt 2 began; null where there was none. */
  readonly resumed: number | null;
  readonly ended: string;
}

export interface FailureBed {
  readonly bed: StandInBed;
  /** By the id of its row; an error where its story did not come to its end. */
  readonly lives: ReadonlyMap<string, LifeOfRow | Error>;
  close(): Promise<void>;
}

const steps = 60;
const graceSeconds = 4;

/** Attempt 1 is slow enough to be met in the middle; those after it are not waited for. */
function scriptOf({ runs = 'exec python "$TEMPER_STAND_IN" --step-seconds 1' }: FailureRow): string {
  return `train() { python "$TEMPER_STAND_IN" --step-seconds 1; }
case "$(tr -d ' \\n' < "$TEMPER_REQUEST")" in
*'"attempt":1,'*) ${runs};;
*) [ "$PET_NODE_RANK" = 0 ] || exit 0; exec python "$TEMPER_STAND_IN" --step-seconds 0.01;;
esac`;
}

export async function makeFailureBed(cluster: TestCluster, rows: readonly FailureRow[]): Promise<FailureBed> {
  const bed = await makeStandInBed(cluster, 'failures');
  const classes = priorityClassesOf(cluster, bed.namespace);
  await classes.make();
  await cluster.kubectl(['create', '--filename', '-'], JSON.stringify(leastMemory(bed.namespace)));
  const jobs = Object.fromEntries(
    rows.map((row) => [row.id, { ...row.needs, command: row.command ?? ['sh', '-c', scriptOf(row)] }]),
  );
  const profile = {
    jobs: { default: { image: cluster.trainerImage }, ...jobs },
    priorityClass: classes.low,
    graceSeconds,
  };
  await copyFile(join(repository, 'test', 'support', 'hanging_trainer.py'), join(bed.volume, 'hanging_trainer.py'));
  const site = await bed.site('failures', profile);
  await site.startWorker();
  const lives = new Map<string, LifeOfRow | Error>();
  const life = async (row: FailureRow, seed: number) => {
    lives.set(row.id, await lifeOf({ cluster, bed, site, row, seed, urgent: classes.high }).catch(asError));
  };
  await Promise.all(rows.map((row, index) => life(row, index + 1)));
  return {
    bed,
    lives,
    async close() {
      await bed.close();
      await classes.remove();
    },
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Refuses containers that ask for less; to those that ask for nothing it gives that much. */
const leastMemory = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'least', namespace },
  spec: { limits: [{ type: 'Container', min: { memory: '20Mi' } }] },
});

/** They belong to the cluster, not to a namespace. */
function priorityClassesOf(cluster: TestCluster, namespace: string) {
  const [low, high] = [`${namespace}-low`, `${namespace}-high`];
  return {
    low,
    high,
    async make() {
      await cluster.kubectl(['create', 'priorityclass', low, '--value=1000']);
      await cluster.kubectl(['create', 'priorityclass', high, '--value=2000']);
    },
    async remove() {
      await cluster.kubectl(['delete', 'priorityclass', low, high]);
    },
  };
}

interface Living {
  readonly cluster: TestCluster;
  readonly bed: StandInBed;
  readonly site: Site;
  readonly row: FailureRow;
  readonly seed: number;
  readonly urgent: string;
}

async function lifeOf({ row, seed, ...places }: Living): Promise<LifeOfRow> {
  const { bed, site, cluster } = places;
  const { id } = row;
  const phases = [{ name: id, kind: 'base', params: { steps, checkpointEvery: 2 } }];
  const pipeline = await site.start(id, {
    recipe: { name: 'stand-in', seed, model: { tiny: { seed } }, phases, budgets: row.budgets ?? {} },
  });
  const directory = runDirectory(bed.volume, { pipeline: id, phase: id, purpose: 'train', number: 1 });
  const job = jobName({ workflowId: id, phase: id, attempt: 1 });
  if (row.blow !== undefined) {
    await eventually(`${id} has saved`, 120, async () => (await savedIn(directory)) > 0);
    await strike(row.blow, { job, cluster, namespace: bed.namespace, urgent: places.urgent });
  }
  const of = { runId: pipeline.firstExecutionRunId, phase: id };
  const decision = await eventually(`it is decided what follows ${id}`, 120, async () => {
    const found = (await site.ledger.decisionsOf(of)).find(({ question }) => question === 'retry');
    return (found?.answer ?? null) as RetryDecision | null;
  });
  const ended = await endOf(pipeline, id);
  await cluster.kubectl(['--namespace', bed.namespace, 'delete', 'job', job, '--ignore-not-found', '--wait=true']);
  const attempts = await site.ledger.attemptsOf({ workflowId: id, phase: id });
  const second = (attempts[1]?.request ?? null) as { readonly resume: { readonly step: number } | null } | null;
  return {
    incidents: await site.ledger.incidentsOf(of),
    decision,
    kept: await textsIn(directory),
    told: await toldOf(site, id),
    saved: await savedIn(directory),
    resumed: second === null ? null : (second.resume?.step ?? 0),
    ended,
  };
}

async function savedIn(directory: string): Promise<number> {
  const found = await createRunStore(directory)
    .checkpoints(directory)
    .catch(() => []);
  return Math.max(0, ...found.filter(({ level }) => level === 'complete').map(({ step }) => step));
}

/** What goes on ends by itself; what waits for a person is cancelled. */
async function endOf(pipeline: PipelineHandle, phase: string): Promise<string> {
  const state = await eventually(`${phase} ends or is held`, 120, async () => {
    const { status } = await pipeline.describe();
    if (status.name !== 'RUNNING') return 'ended';
    return (await phaseOf(pipeline, phase))?.state === 'held' ? 'held' : null;
  });
  if (state === 'held') await pipeline.cancel();
  return await pipeline.result().then(
    ({ promoted }) => promoted.map(({ outcome }) => outcome.state).join(),
    (error: unknown) => `${state}: ${(error as Error).message}`,
  );
}

async function toldOf({ ledger, runs: store }: Site, pipelineId: string): Promise<string> {
  const run = await findPipeline(ledger, pipelineId);
  const end = endOfRun(run, { runId: run.runId, state: null });
  const { phases } = await explanationOfPipeline(ledger, run, { store, end });
  return phases
    .flatMap(({ events }) => events.filter(({ about }) => about !== 'retry'))
    .flatMap(({ sentence, lines }) => [sentence, ...lines])
    .join('\n');
}

/** What was written at its end; not what the trainer writes for itself. */
async function textsIn(directory: string): Promise<string> {
  const names = (await readdir(directory)).filter((name) => /\.(txt|json)$/.test(name) && name !== 'request.json');
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  return texts.join('\n');
}
