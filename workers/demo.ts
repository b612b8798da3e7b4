/**
 * `npm run demo`: an embedded Temporal server, a worker, and the whole tiny pipeline, followed to its leaderboard.
 *
 * Read top-down: open, start, follow, show, close. Ctrl-C leaves the pipeline open and nothing running; the next run goes on.
 * `-- --kill trainer|worker|server|everything` is demo/killed-demo.ts.
 */
import { parseArgs } from 'node:util';
import type { Client } from '@temporalio/client';
import { TemperError } from '../decisions/errors.ts';
import { createScreen } from './terminal/bars.ts';
import { followPipeline, type PipelineEnd } from './terminal/follow.ts';
import { leaderboardText } from './terminal/leaderboard-text.ts';
import { killedDemo } from './demo/killed-demo.ts';
import { killable, type Killable } from './demo/kill-each-phase.ts';
import { startOrJoin } from './demo/start-or-join.ts';
import { timesText } from './terminal/times-text.ts';
import { openEmbeddedTemper } from './embedded-temper.ts';
import { explained } from './exit-codes.ts';
import { watchedCloselySeconds } from './heartbeat.ts';
import { pageOfRun, readSettings } from './settings.ts';
import { onStopSignal } from './stop-signal.ts';
import type { Leaderboard } from '../workflows/contract.ts';

const pipelineId = 'demo';
const screen = createScreen({
  write: (text) => process.stdout.write(text),
  isTerminal: process.stdout.isTTY,
  columns: () => process.stdout.columns,
});

try {
  process.exitCode = await demo();
} catch (error) {
  const { text, exitCode } = explained(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = exitCode;
}

async function demo(): Promise<number> {
  const kill = killAsked(process.argv.slice(2));
  const stop = onStopSignal(process);
  const settings = { ...readSettings(process.env), heartbeatSeconds: watchedCloselySeconds };
  if (kill !== null) return await killedDemo({ what: kill, settings, screen, stop, undisturbedId: pipelineId });
  const temper = await openEmbeddedTemper({
    settings,
    profile: 'local',
    defaultRecipe: 'tiny',
    scanSeconds: 1,
    environment: process.env,
  });
  try {
    const run = await startOrJoin(temper.client, {
      pipelineId,
      taskQueue: settings.taskQueue,
      input: { recipe: 'tiny' },
      summary: 'The tiny recipe, through all its phases',
      details:
        'Started by `npm run demo`: the recipe **tiny** on the profile **local**. The phases stand in the current details, each as a child run under Relationships.',
    });
    screen.say(
      `${run.joined ? 'Going on with' : 'Started'} the pipeline: ${pageOfRun(temper, settings.namespace, [pipelineId, run.runId])}`,
    );
    const end = await followPipeline({ client: temper.client, run, screen, stop: stop.asked, died: temper.died });
    screen.leave();
    return await show(temper.client, end);
  } finally {
    await temper.close({ hurry: stop.hurried });
    if (stop.asked.aborted) screen.say('Nothing of it runs now; `npm run demo` goes on from here.');
  }
}

/** Null without `--kill`. Throws `invalid-input`. */
function killAsked(words: string[]): Killable | null {
  const allowed = '`npm run demo -- --kill trainer`, or worker, server, everything';
  try {
    const { kill } = parseArgs({ args: words, options: { kill: { type: 'string' } } }).values;
    if (kill === undefined) return null;
    const known = killable.find((one) => one === kill);
    if (known !== undefined) return known;
  } catch (cause) {
    throw new TemperError('invalid-input', `the demo knows nothing of "${words.join(' ')}": ${allowed}`, { cause });
  }
  throw new TemperError('invalid-input', `there is nothing called so to kill: ${allowed}`);
}

async function show(client: Client, end: PipelineEnd): Promise<number> {
  switch (end.kind) {
    case 'completed': {
      const { rows } = await client.workflow.getHandle(pipelineId).query<Leaderboard>('leaderboard');
      screen.say(`\n${leaderboardText(rows)}\n\n${timesText(end.result)}`);
      return 0;
    }
    case 'failed':
      screen.say(end.message);
      return 1;
    case 'stopped':
      screen.say('Stopping: the trainer saves, then everything ends. The pipeline stays open.');
      return 130;
  }
}
