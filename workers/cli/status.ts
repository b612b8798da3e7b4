/** `temper status`: where a pipeline stands; without a name, the newest pipelines. */
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { Command, Option } from 'commander';
import type { ListedPipeline } from '../terminal/status-text.ts';
import type { Connected } from './connect.ts';
import { jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly follow?: true;
  readonly json?: true;
}

const mostListed = 20;
/** Runs that were only made for the start form. */
const exampleIds = 'example/';

export function status(): Command {
  return new Command('status')
    .description('Shows where each phase of a pipeline stands. Without a name, lists the newest pipelines.')
    .argument('[pipeline]', 'its workflow id')
    .addOption(new Option('-f, --follow', 'go on showing it until it ends; ends with 1 when it fails'))
    .addOption(jsonOption().conflicts('follow'))
    .addHelpText('after', '\nExamples:\n  $ temper status\n  $ temper status tiny -f')
    .action(async (pipeline: string | undefined, options: Options) => {
      const { withServer } = await import('./connect.ts');
      await withServer(async (connected) => {
        if (pipeline === undefined) await list(connected, options);
        else if (options.follow) await follow(connected, pipeline);
        else await show(connected, pipeline, options);
      });
    });
}

async function list({ client }: Connected, { json }: Options): Promise<void> {
  const { pipelinesText } = await import('../terminal/status-text.ts');
  const { workflowNames } = await import('../../workflows/contract.ts');
  const { searchAttributes } = await import('../../workflows/messages.ts');
  const { wordOfStatus } = await import('../run-state.ts');
  const pipelines: ListedPipeline[] = [];
  for await (const run of client.workflow.list({ query: `WorkflowType = '${workflowNames.pipeline}'` })) {
    if (run.workflowId.startsWith(exampleIds)) continue;
    const known = run.typedSearchAttributes;
    const word = wordOfStatus(run.status.name);
    pipelines.push({
      pipeline: run.workflowId,
      runId: run.runId,
      state: word === 'running' ? (known.get(searchAttributes.state) ?? word) : word,
      phase: known.get(searchAttributes.phase) ?? '',
      score: known.get(searchAttributes.score) ?? null,
      startedAt: run.startTime.toISOString(),
    });
    if (pipelines.length === mostListed) break;
  }
  if (json) sayJson(pipelines);
  else
    say(pipelines.length > 0 ? pipelinesText(pipelines) : 'No pipeline is known here; `temper start tiny` starts one.');
}

async function show(connected: Connected, pipeline: string, { json }: Options): Promise<void> {
  const { answered, pageOf, requireWorker } = await import('./connect.ts');
  const [{ readPhases }, { phasesText, wayOnText }, { colouredState }] = await Promise.all([
    import('../terminal/read-phases.ts'),
    import('../terminal/status-text.ts'),
    import('../terminal/colour.ts'),
  ]);
  const handle = connected.client.workflow.getHandle(pipeline);
  const run = await answered(connected, `pipeline "${pipeline}"`, () => handle.describe());
  await mustBePipeline(connected, run);
  await requireWorker(connected);
  const phases = await answered(connected, `pipeline "${pipeline}"`, () => readPhases(connected.client, pipeline));
  const { wordOfStatus } = await import('../run-state.ts');
  const state = wordOfStatus(run.status.name);
  const failure = await failureOf(connected, run);
  const page = pageOf(connected, pipeline, run.runId);
  if (json) sayJson({ pipeline, runId: run.runId, state, page, failure, phases });
  else
    say(
      [
        `${pipeline}: ${colouredState(state)}  ${page}`,
        ...(failure === null ? [] : [failure]),
        ...(phases.length === 0 ? [] : [phasesText(phases)]),
        ...(state === 'running' && phases.some((phase) => phase.state === 'held') ? [wayOnText(pipeline)] : []),
      ].join('\n\n'),
    );
}

/** A sweep or a phase of its own has a page, and no phases. Throws `not-found`. */
async function mustBePipeline(connected: Connected, run: WorkflowExecutionDescription): Promise<void> {
  const [{ TemperError }, { workflowNames }, { pageOf }] = await Promise.all([
    import('../../decisions/errors.ts'),
    import('../../workflows/contract.ts'),
    import('./connect.ts'),
  ]);
  const { type, workflowId, runId } = run;
  if (type === workflowNames.pipeline) return;
  const page = pageOf(connected, workflowId, runId);
  throw new TemperError(
    'not-found',
    `"${workflowId}" is a run of ${type}, no pipeline: what it does stands on ${page}`,
  );
}

/** Why it failed, in the words of whoever refused or gave up; null where it did not. */
async function failureOf({ client }: Connected, run: WorkflowExecutionDescription): Promise<string | null> {
  if (['RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED'].includes(run.status.name)) return null;
  const { WorkflowFailedError } = await import('@temporalio/client');
  try {
    await client.workflow.getHandle(run.workflowId, run.runId).result();
    return null;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return error.cause?.message ?? error.message;
  }
}

async function follow(connected: Connected, pipeline: string): Promise<void> {
  const { answered, requireWorker } = await import('./connect.ts');
  const { followInTerminal } = await import('./follow-in-terminal.ts');
  const handle = connected.client.workflow.getHandle(pipeline);
  const run = await answered(connected, `pipeline "${pipeline}"`, () => handle.describe());
  await mustBePipeline(connected, run);
  const { runId } = run;
  await requireWorker(connected);
  process.exitCode = await followInTerminal(connected, { pipelineId: pipeline, runId });
}
