/**
 * Asks a worker what lies in its ledger or store, through a short workflow; with `--direct`, reads them on this machine.
 *
 * Covers the way there and back. Does not cover the answers (activities/answers.ts).
 */
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { isErrorCode, TemperError } from '../../decisions/errors.ts';
import type { AnswerTo, Question } from '../../workflows/contract-questions.ts';
import { workflowNames } from '../../workflows/contract.ts';
import { type Connected, requireWorker, withServer } from './connect.ts';

interface How {
  readonly direct: boolean;
  /** For how long an answer is waited for. @default 60 */
  readonly seconds?: number;
}

/** Asks once. Throws what the worker throws, and `environment-unusable` when none answers. */
export async function ask<Q extends Question>(question: Q, { direct, seconds }: How): Promise<AnswerTo<Q>> {
  if (direct) return await askDirectly(question);
  return await withServer((connected) => askWorker(connected, question, seconds));
}

export async function askDirectly<Q extends Question>(question: Q): Promise<AnswerTo<Q>> {
  const { answerDirectly } = await import('../direct.ts');
  return (await answerDirectly(question, process.env)) as AnswerTo<Q>;
}

export async function askWorker<Q extends Question>(
  connected: Connected,
  question: Q,
  answerSeconds = 60,
): Promise<AnswerTo<Q>> {
  const { client, places } = connected;
  await requireWorker(connected);
  const { WorkflowFailedError } = await import('@temporalio/client');
  const subject =
    question.question === 'plan' ? ' a recipe' : 'pipeline' in question ? ` ${question.pipeline ?? ''}` : '';
  const handle = await client.workflow.start(workflowNames.question, {
    workflowId: `ask/${question.question}/${randomUUID().slice(0, 8)}`,
    taskQueue: places.taskQueue,
    args: [question],
    workflowExecutionTimeout: '5 minutes',
    staticSummary: `temper ${question.question}${subject}`.trimEnd(),
  });
  const seconds = answerSeconds + ('waitSeconds' in question ? (question.waitSeconds ?? 0) : 0);
  const signal = AbortSignal.any([AbortSignal.timeout(seconds * 1000), unlessBegun(handle)]);
  try {
    return (await client.withAbortSignal(signal, () => handle.result())) as AnswerTo<Q>;
  } catch (error) {
    if (error instanceof WorkflowFailedError) throw asTemperError(error.cause ?? error);
    if (!signal.aborted) throw error;
    await handle.terminate('nobody waits for the answer any more');
    const waited = signal.reason === nobody ? beginSeconds : seconds;
    throw new TemperError(
      'environment-unusable',
      `no worker on the task queue "${places.taskQueue}" answered within ${String(waited)} s: is it still running?`,
      { cause: error },
    );
  }
}

/** A worker that is there begins at once, however long its answer takes: one that has just left is still counted among the pollers. */
const beginSeconds = 10;
const nobody = Symbol('no worker has begun');
/** Events of a run that no worker has answered: it is started, its first task is scheduled, and perhaps handed to one that was killed. */
const eventsBefore = 3;

/** Aborts with `nobody` when no worker has begun in time. */
function unlessBegun(handle: Pick<WorkflowHandle, 'describe'>): AbortSignal {
  const controller = new AbortController();
  const look = async () => {
    const { historyLength } = await handle.describe();
    if (historyLength <= eventsBefore) controller.abort(nobody);
  };
  // A server that does not answer either is told of by the answer that does not come.
  setTimeout(() => void look().catch(() => undefined), beginSeconds * 1000).unref();
  return controller.signal;
}

/** A failure of a workflow as the error that its activity threw; any other as it is. */
export function asTemperError(failure: Error): Error {
  const { type } = failure as { type?: unknown };
  if (failure.name === 'ActivityFailure' && failure.cause instanceof Error) return asTemperError(failure.cause);
  if (isErrorCode(type)) return new TemperError(type, failure.message, { cause: failure });
  if (type === 'InvalidInput') return new TemperError('invalid-input', failure.message, { cause: failure });
  return failure;
}
