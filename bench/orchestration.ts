/**
 * `npm run bench -- orchestration`: runs the tiny recipe in a fresh store and prints what the orchestrator cost.
 *
 * Takes about as long as the demo. `--json` prints numbers for a script. Ports and store are its own.
 */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import { openEmbeddedTemper } from '../workers/embedded-temper.ts';
import { readSettings } from '../workers/settings.ts';
import { workflowNames, type PipelineInput } from '../workflows/contract.ts';
import { freePort } from '../scripts/free-ports.ts';
import { measureRun, quantile, type JobTime, type RunMeasures, type RunTimes } from './measure-run.ts';

const pipelineId = 'bench';
const store = await mkdtemp(join(tmpdir(), 'temper-bench-'));
try {
  const measures = measureRun(await runTiny(store));
  console.log(process.argv.includes('--json') ? JSON.stringify(measures) : text(measures));
} finally {
  await rm(store, { recursive: true, force: true });
}

async function runTiny(storeDirectory: string): Promise<RunTimes> {
  const settings = {
    ...readSettings(process.env),
    storeDirectory,
    port: await freePort(),
    uiPort: await freePort(),
    heartbeatSeconds: 10,
  };
  const temper = await openEmbeddedTemper({
    settings,
    profile: 'local',
    defaultRecipe: 'tiny',
    scanSeconds: 1,
    environment: process.env,
  });
  try {
    const input: PipelineInput = { recipe: 'tiny' };
    const handle = await temper.client.workflow.start(workflowNames.pipeline, {
      workflowId: pipelineId,
      taskQueue: settings.taskQueue,
      args: [input],
    });
    await Promise.race([handle.result(), temper.died]);
    return await readRun(temper.place.dependencies.ledger, handle.firstExecutionRunId);
  } finally {
    await temper.close({ graceSeconds: 5 });
  }
}

async function readRun(ledger: Ledger, runId: string): Promise<RunTimes> {
  const [pipeline] = await ledger.pipelines({ workflowId: pipelineId, limit: 1 });
  if (!pipeline?.endedAt) throw new Error('the pipeline did not end');
  const phases = await ledger.phasesOf(runId);
  const attempts = await Promise.all(
    phases.flatMap(({ phase }) =>
      (['train', 'evaluate'] as const).map((purpose) =>
        ledger.attemptsOf({ workflowId: pipelineId, runId, phase, purpose }),
      ),
    ),
  );
  const jobs = await Promise.all(attempts.flat().map(readJob));
  const checkpoints = await Promise.all(phases.map(({ phase }) => ledger.checkpointsOf({ runId, phase })));
  const sealed = checkpoints.flat().map(async ({ path }) => [path, (await stat(`${path}.seal.json`)).mtimeMs] as const);
  return {
    beganAt: Date.parse(pipeline.startedAt),
    endedAt: Date.parse(pipeline.endedAt),
    phases: phases.map(({ phase, updatedAt }) => ({ phase, endedAt: Date.parse(updatedAt) })),
    jobs,
    sealedAt: new Map(await Promise.all(sealed)),
  };
}

async function readJob({ phase, purpose, directory, request }: AttemptRecord): Promise<JobTime> {
  const { startedAt } = await readRecord<{ startedAt: string }>(directory, 'started.json');
  const { endedAt } = await readRecord<{ endedAt: string }>(directory, 'exit.json');
  const { evaluations } = request as { evaluations: { checkpoint: { path: string } }[] };
  const checkpoints = evaluations.map(({ checkpoint }) => checkpoint.path);
  return { phase, purpose, startedAt: Date.parse(startedAt), endedAt: Date.parse(endedAt), checkpoints };
}

async function readRecord<T>(directory: string | null, name: string): Promise<T> {
  return JSON.parse(await readFile(join(directory ?? '', name), 'utf8')) as T;
}

function text(measures: RunMeasures): string {
  const seconds = (value: number | null) => (value === null ? 'not seen' : `${value.toFixed(2)} s`);
  const line = (name: string, values: readonly number[]) =>
    `${name.padEnd(48)} median ${seconds(quantile(values, 0.5))}, largest ${seconds(quantile(values, 1))}, n ${String(values.length)}`;
  const { wallSeconds, overheadSeconds } = measures;
  const share = ((100 * overheadSeconds) / wallSeconds).toFixed(1);
  return [
    line("phase end → next phase's job starts", measures.phaseEndToNextJob),
    line('complete checkpoint → its evaluation starts', measures.checkpointToEvaluation),
    `${'seconds in which no job ran'.padEnd(48)} ${seconds(overheadSeconds)} of ${seconds(wallSeconds)} (${share} %)`,
  ].join('\n');
}
