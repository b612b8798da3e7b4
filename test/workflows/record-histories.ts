/**
 * `npm run histories`: records one history per path through the story anew, for each of its runs (test/histories/<path>.<run>.json), and
 * those of a question and of a sweep.
 *
 * Run it when the workflows have changed on purpose, so that running pipelines will have such histories from now on; keep the old files
 * of whatever still runs somewhere. What is kept names no machine: identities are neutral, and stacks are left out;
 * so is what activities were asked, which no replay looks at.
 */
import { writeFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { childIds, workflowNames } from '../../workflows/contract.ts';
import { recipeOf } from '../support/recipes.ts';
import { taskQueue, workflowBench } from '../support/workflow-bench.ts';
import type { Path } from './story-path.ts';
import { kept, paths, question, sweep } from './story-paths.ts';

const bench = await workflowBench();
try {
  for (const path of paths) await record(path);
  await recordQuestion();
  await recordSweep();
} finally {
  await bench.close();
}

async function record(path: Path): Promise<void> {
  const story = bench.tell(path.name, path.recipe, path.answers);
  const run = await bench.start(story);
  await path.act?.(run, story);
  await run.result().catch(() => undefined);
  const evaluations = story.inputsOf('openEvaluation').length;
  const ids = {
    pipeline: path.name,
    phase: childIds.phase(path.name, 'sft'),
    evaluation: await lastEvaluation(bench.client, path.name, evaluations),
  };
  for (const name of kept) await keep(ids[name], `${path.name}.${name}`);
  if (path.tells) await keep(story.inputsOf('notify')[0]?.key ?? '', `${path.name}.notification`);
}

async function recordQuestion(): Promise<void> {
  const { name, input } = question;
  bench.tell(name, recipeOf());
  await bench.client.workflow.execute(workflowNames.question, { workflowId: name, taskQueue, args: [input] });
  await keep(name, `${name}.run`);
}

async function recordSweep(): Promise<void> {
  const { name, input, answers } = sweep;
  bench.tell(name, recipeOf(), answers);
  await bench.client.workflow.execute(workflowNames.sweep, { workflowId: name, taskQueue, args: [input] });
  await keep(name, `${name}.run`);
}

async function keep(workflowId: string, name: string): Promise<void> {
  const history = await bench.client.workflow.getHandle(workflowId).fetchHistory();
  const text = JSON.stringify(JSON.parse(historyToJSON(history)), smaller);
  await writeFile(new URL(`../histories/${name}.json`, import.meta.url), `${text}\n`);
  console.log(`${name}: ${String(history.events?.length ?? 0)} events, ${String(text.length)} bytes`);
}

/** The id of the newest evaluation run; `atMost` is how many there can be. */
async function lastEvaluation(client: Client, pipelineId: string, atMost: number): Promise<string> {
  for (let number = atMost; number > 1; number -= 1) {
    const id = childIds.evaluation(pipelineId, 'sft', number);
    const exists = await client.workflow
      .getHandle(id)
      .describe()
      .then(
        () => true,
        () => false,
      );
    if (exists) return id;
  }
  return childIds.evaluation(pipelineId, 'sft', 1);
}

function smaller(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  if (key === 'activityTaskScheduledEventAttributes') return { ...(value as object), input: undefined };
  return value;
}
