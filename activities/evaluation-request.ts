/**
 * What a job that evaluates is asked for, as docs/reference/trainer-contract.md has it: each evaluation with what earlier attempts at it left.
 *
 * Does not cover which evaluations are missing (evaluations.ts).
 */
import { posix } from 'node:path';
import type { EvaluatedBenchmark } from '../configs/schema.ts';
import { checkpointShortName } from '../decisions/checkpoint-id.ts';
import { TemperError } from '../decisions/errors.ts';
import type { EvaluationKey, Shard } from '../decisions/evaluation.ts';
import { evaluatedOf } from '../decisions/outside-benchmark.ts';
import type { CheckpointRef, PhaseContext } from '../workflows/contract.ts';
import { refOf } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** One evaluation of a request, as the trainer contract has it. */
export interface Requested {
  readonly key: string;
  readonly checkpoint: Pick<CheckpointRef, 'id' | 'path' | 'format' | 'base' | 'digest'>;
  readonly benchmark: EvaluatedBenchmark & { readonly name: string };
  readonly seed: number;
  readonly output: string;
  /** Where attempts before this one were to write the same, oldest first: a trainer may have kept what it had beside it. */
  readonly earlierOutputs: readonly string[];
  /** Absent where one job makes the whole. */
  readonly shard?: Shard;
}

interface Wish {
  readonly keys: readonly EvaluationKey[];
  /** Of the attempt. */
  readonly number: number;
  readonly shard: Shard;
}

/** In the order of the keys, each with its checkpoint's short name. */
export async function requestedEvaluations(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  { keys, number, shard }: Wish,
): Promise<readonly { readonly request: Requested; readonly checkpoint: string }[]> {
  const earlier = await outputsBefore(dependencies, context, number);
  return await Promise.all(keys.map((key, index) => requested(dependencies, context, { key, index, earlier, shard })));
}

async function requested(
  { ledger }: ActivityDependencies,
  context: PhaseContext,
  wish: { readonly key: EvaluationKey; readonly index: number; readonly earlier: OutputsByKey; readonly shard: Shard },
): Promise<{ readonly request: Requested; readonly checkpoint: string }> {
  const { key, index, earlier, shard } = wish;
  const record = await ledger.checkpoint(key.checkpoint);
  if (!record) throw new TemperError('not-found', `no checkpoint "${key.checkpoint}" is in the ledger`);
  const { id, path, format, base, digest } = refOf(record);
  const benchmark = evaluatedOf(context.benchmarks)[key.benchmark];
  if (!benchmark) throw new TemperError('not-found', `the recipe has no benchmark "${key.benchmark}"`);
  if (benchmark.version !== key.version)
    throw new TemperError(
      'invalid-input',
      `evaluation of "${id}" is wanted on ${key.benchmark}@${String(key.version)}, and the recipe has version ${String(benchmark.version)}`,
    );
  const name = `${key.benchmark}@${String(key.version)}/seed-${String(key.seed)}/${id}`;
  const request: Requested = {
    key: name,
    checkpoint: { id, path, format, base, digest },
    benchmark: { name: key.benchmark, ...benchmark },
    seed: key.seed,
    output: `outcomes/${String(index + 1).padStart(4, '0')}.jsonl`,
    earlierOutputs: earlier.get(name) ?? [],
    ...(shard.of > 1 && { shard }),
  };
  return { request, checkpoint: checkpointShortName(record) };
}

type OutputsByKey = ReadonlyMap<string, readonly string[]>;

/** Of attempts with lower numbers, also of runs before: the same evaluation of the same phase. */
async function outputsBefore(
  { ledger }: ActivityDependencies,
  { pipelineId: workflowId, phase }: PhaseContext,
  number: number,
): Promise<OutputsByKey> {
  const attempts = await ledger.attemptsOf({ workflowId, phase: phase.name, purpose: 'evaluate' });
  const outputs = attempts
    .filter((attempt) => attempt.number < number)
    .flatMap(({ directory, request }) =>
      directory === null || request === null
        ? []
        : (request as { evaluations: readonly Pick<Requested, 'key' | 'output'>[] }).evaluations.map(
            ({ key, output }) => ({ key, path: posix.join(directory, output) }),
          ),
    );
  const byKey = Map.groupBy(outputs, ({ key }) => key);
  return new Map([...byKey].map(([key, found]) => [key, found.map(({ path }) => path)]));
}
