/** `temper up`: all of Temper on this machine, until Ctrl-C. */
import { Command, Option } from 'commander';
import { watchedCloselySeconds } from '../heartbeat.ts';
import { say } from './output.ts';
import { healthPortOption, healthText, heartbeatOption } from './worker-options.ts';

interface Options {
  readonly profile: string;
  readonly recipe: string;
  readonly healthPort?: number;
  readonly heartbeat: number;
}

export function up(): Command {
  return new Command('up')
    .description(
      'Starts a Temporal server with its UI and a worker on this machine, and stays until Ctrl-C: then running jobs save and stop, and pipelines stay open until the next `temper up`.',
    )
    .addOption(new Option('--profile <name>', 'where jobs run').default('local'))
    .addOption(new Option('--recipe <name>', 'what an empty input, {}, starts').default('tiny'))
    .addOption(healthPortOption())
    .addOption(heartbeatOption(watchedCloselySeconds))
    .addHelpText(
      'after',
      `
Example:
  $ TEMPER_STORE=~/runs temper up

Environment: TEMPER_STORE (folder of runs, ledger and database; .temper/store in the checkout unless named), TEMPER_PORT (7233), TEMPER_UI_PORT (8233), TEMPER_TASK_QUEUE.`,
    )
    .action(untilStopped);
}

async function untilStopped(options: Options): Promise<void> {
  const [
    { openEmbeddedTemper },
    { readSettings },
    { onStopSignal },
    { startForm },
    { workflowNames },
    { storeDirectoryOf },
  ] = await Promise.all([
    import('../embedded-temper.ts'),
    import('../settings.ts'),
    import('../stop-signal.ts'),
    import('../start-form.ts'),
    import('../../workflows/contract.ts'),
    import('../store-directory.ts'),
  ]);
  const stop = onStopSignal(process);
  const settings = { ...readSettings(process.env), heartbeatSeconds: options.heartbeat };
  const { profile, recipe: defaultRecipe, healthPort } = options;
  const temper = await openEmbeddedTemper({
    settings,
    profile,
    defaultRecipe,
    healthPort,
    scanSeconds: 1,
    environment: process.env,
  });
  try {
    const form = await startForm(temper.client, { uiUrl: temper.uiUrl, taskQueue: settings.taskQueue });
    say(`Temporal UI      ${pipelinesPage(temper.uiUrl, settings.namespace, workflowNames.pipeline)}`);
    say(`Start a pipeline ${form}`);
    say(`                 or: temper start ${defaultRecipe}`);
    const { profile: where } = temper.place.place;
    const isLocal = where.backend === 'local';
    say(`Store            ${storeDirectoryOf(where, settings)} (profile ${profile}, task queue ${settings.taskQueue})`);
    if (temper.healthPort !== null) say(`Health           ${healthText(temper.healthPort)}`);
    say(`Ctrl-C stops: ${isLocal ? 'running jobs save first' : 'jobs on the cluster go on'}, pipelines stay open.`);
    await Promise.race([aborted(stop.asked), temper.died]);
    say(isLocal ? 'Stopping: trainers save, then everything ends.' : 'Stopping: jobs on the cluster go on.');
  } finally {
    await temper.close({ hurry: stop.hurried });
  }
  say('Nothing runs here now; the next `temper up` goes on from here.');
}

/** The list of runs without phases, evaluations and questions. */
function pipelinesPage(uiUrl: string, namespace: string, workflowType: string): string {
  const query = new URLSearchParams({ query: `WorkflowType="${workflowType}"` });
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows?${query.toString()}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
