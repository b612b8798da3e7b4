/**
 * Follows a pipeline to its end.
 *
 * Covers one pipeline, once a second. Does not cover how it is shown (bars.ts).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowFailedError, type Client } from '@temporalio/client';
import type { PipelineResult } from '../../workflows/contract.ts';
import type { Screen } from './bars.ts';
import { readPhases } from './read-phases.ts';

export type PipelineEnd =
  | { readonly kind: 'completed'; readonly result: PipelineResult }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };

export interface Following {
  readonly client: Client;
  readonly run: { readonly pipelineId: string; readonly runId: string };
  readonly screen: Screen;
  /** Ends the following, not the pipeline. */
  readonly stop: AbortSignal;
  /** Rejects when what the pipeline runs on is gone. */
  readonly died: Promise<never>;
}

const lookMilliseconds = 5000;

/** Shows the phases until the pipeline ends, or `stop`. Rejects when the server or the worker dies. */
export async function followPipeline({ client, run, screen, stop, died }: Following): Promise<PipelineEnd> {
  const done = new AbortController();
  const end = Promise.race([
    client.withAbortSignal(done.signal, () => endOf(client, run)),
    stopped(stop),
    died,
  ]).finally(() => {
    // This also ends the long poll, which would go on retrying on a connection that is closed by then.
    done.abort();
  });
  end.catch(() => undefined);
  while (!done.signal.aborted) {
    // A look that fails shows nothing new; whether that is the end, `end` knows.
    await showOnce(client, run.pipelineId, screen).catch(() => undefined);
    await wait(1000, undefined, { signal: done.signal }).catch(() => undefined);
  }
  const ended = await end;
  if (ended.kind !== 'stopped') await showOnce(client, run.pipelineId, screen);
  return ended;
}

async function endOf(client: Client, { pipelineId, runId }: Following['run']): Promise<PipelineEnd> {
  try {
    return {
      kind: 'completed',
      result: (await client.workflow.getHandle(pipelineId, runId).result()) as PipelineResult,
    };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return { kind: 'failed', message: error.cause?.message ?? error.message };
  }
}

function stopped(signal: AbortSignal): Promise<PipelineEnd> {
  return new Promise((resolve) => {
    const answer = () => {
      resolve({ kind: 'stopped' });
    };
    if (signal.aborted) answer();
    signal.addEventListener('abort', answer);
  });
}

async function showOnce(client: Client, pipelineId: string, screen: Screen): Promise<void> {
  const phases = await client.withDeadline(Date.now() + lookMilliseconds, () => readPhases(client, pipelineId));
  if (phases.length > 0) screen.show(phases, new Date());
}
