/**
 * Pipelines of seconds-long phases, started as long as there is too little to kill, and seen through to their ends.
 *
 * Each has a seed of its own, so that none is another's finished work. A phase that asks for a person is released, as a person would.
 * Covers a server that is away for a while. Does not cover killing.
 */
import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { isOutage } from '../../workers/demo/outage.ts';
import { workflowNames, type PipelineInput, type PipelineResult } from '../../workflows/contract.ts';
import { releaseUpdate, searchAttributes } from '../../workflows/messages.ts';

export interface LoadPipeline {
  readonly pipelineId: string;
  readonly seed: number;
  state: 'unsure' | 'open' | 'completed' | 'failed';
  /** Why it failed; null otherwise. */
  failure: string | null;
  result: PipelineResult | null;
}

export interface Load {
  readonly pipelines: readonly LoadPipeline[];
  /** Times that a held phase was released. */
  readonly releases: number;
  start(pipelineId?: string): Promise<LoadPipeline>;
  /** Looks at each that is not ended; what cannot be seen now is looked at next time. */
  look(): Promise<void>;
}

/** Steps of each phase, a checkpoint every `checkpointEvery`. */
export const phaseSteps = 24;
const checkpointEvery = 4;
const kinds = ['base', 'sft', 'orpo'] as const;

export function createLoad(client: Client, taskQueue: string): Load {
  const pipelines: LoadPipeline[] = [];
  const load = {
    pipelines,
    releases: 0,
    async start(pipelineId = `chaos-${String(pipelines.length + 1)}`) {
      const again = pipelines.find((one) => one.pipelineId === pipelineId);
      const seed = again?.seed ?? pipelines.length + 1;
      const pipeline: LoadPipeline = { pipelineId, seed, state: 'unsure', failure: null, result: null };
      pipelines.push(pipeline);
      await open(client, taskQueue, pipeline);
      return pipeline;
    },
    async look() {
      const looks = pipelines.map(async (pipeline) => {
        if (pipeline.state === 'unsure') await open(client, taskQueue, pipeline);
        if (pipeline.state === 'open' && (await lookAt(client, pipeline))) load.releases += 1;
      });
      await Promise.all(looks);
    },
  };
  return load;
}

/** A start whose reply was lost is made again: the id makes it one. */
async function open(client: Client, taskQueue: string, pipeline: LoadPipeline): Promise<void> {
  const { pipelineId: workflowId, seed } = pipeline;
  try {
    const args = [{ recipe: recipeOf(seed) } satisfies PipelineInput];
    await client.withDeadline(Date.now() + 5000, () =>
      client.workflow.start(workflowNames.pipeline, { workflowId, taskQueue, args }),
    );
    pipeline.state = 'open';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) pipeline.state = 'open';
    else if (!isOutage(error)) throw error;
  }
}

/** True when a held phase was released. */
async function lookAt(client: Client, pipeline: LoadPipeline): Promise<boolean> {
  const handle = client.workflow.getHandle(pipeline.pipelineId);
  try {
    return await client.withDeadline(Date.now() + 5000, async () => {
      const { status, typedSearchAttributes } = await handle.describe();
      if (status.name === 'RUNNING') {
        if (typedSearchAttributes.get(searchAttributes.state) !== 'held') return false;
        await handle.executeUpdate(releaseUpdate, { args: [{ by: 'the chaos bench' }] });
        return true;
      }
      pipeline.state = status.name === 'COMPLETED' ? 'completed' : 'failed';
      if (pipeline.state === 'completed') pipeline.result = (await handle.result()) as PipelineResult;
      else pipeline.failure = await handle.result().then(() => status.name, failureText);
      return false;
    });
  } catch (error) {
    if (!isOutage(error) && !(error instanceof WorkflowUpdateFailedError)) throw error;
    return false;
  }
}

function failureText(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

function recipeOf(seed: number): Record<string, unknown> {
  const params = { steps: phaseSteps, checkpointEvery };
  const training = { ...params, learningRate: 0.1, batchSize: 1 };
  const [base, ...others] = kinds;
  return {
    name: 'chaos',
    seed,
    model: { tiny: { seed } },
    benchmarks: { coin: { data: { tiny: 'held-out', rows: 20 }, grader: 'boxed-integer' } },
    phases: [
      { name: base, kind: base, params },
      ...others.map((kind) => ({
        name: kind,
        kind,
        data: { tiny: kind === 'sft' ? 'solutions' : 'problems' },
        params: training,
        ...(kind === 'orpo' ? { evaluate: { benchmarks: ['coin'] } } : {}),
      })),
    ],
    budgets: { attempts: 1000 },
  };
}

/** What the last checkpoint of a pipeline holds when every step was trained once, in order: see trainers/bench/stand_in. */
export function undisturbedDigest(seed: number): string {
  const chained = (...parts: readonly (string | number)[]) =>
    createHash('sha256').update(parts.join(':')).digest('hex');
  let digest = chained('', 'seed', seed);
  for (const kind of kinds) {
    if (kind !== kinds[0]) digest = chained(digest, kind);
    for (let step = 1; step <= phaseSteps; step += 1) digest = chained(digest, kind, seed, step);
  }
  return digest;
}
