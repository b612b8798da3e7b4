/** `temper worker`: a worker for a Temporal server that is there already. */
import { Command, Option } from 'commander';
import { TemperError } from '../../decisions/errors.ts';
import { healthPortOption, healthText, heartbeatOption } from './worker-options.ts';
import { usualHeartbeatSeconds } from '../heartbeat.ts';
import type { DeploymentVersion } from '../temper-worker.ts';
import { note, say } from './output.ts';

interface Options {
  readonly profile: string;
  readonly recipe?: string;
  readonly healthPort?: number;
  readonly heartbeat: number;
  readonly deployment?: string;
  readonly buildId?: string;
}

export function worker(): Command {
  return new Command('worker')
    .description(
      'Serves pipelines of a Temporal server until Ctrl-C. Jobs run on without it: the next worker goes on watching them.',
    )
    .addOption(new Option('--profile <name>', 'where jobs run').default('local'))
    .addOption(new Option('--recipe <name>', 'what an empty input, {}, starts; without it, a recipe must be named'))
    .addOption(healthPortOption())
    .addOption(heartbeatOption(usualHeartbeatSeconds))
    .addOption(
      new Option(
        '--deployment <name>',
        'be a version of this worker deployment: it gets work once that version is made the current one',
      ).env('TEMPER_DEPLOYMENT'),
    )
    .addOption(
      new Option('--build-id <id>', 'which version of the deployment, such as the tag of its image').env(
        'TEMPER_BUILD_ID',
      ),
    )
    .addHelpText('after', '\nExample:\n  $ TEMPORAL_ADDRESS=temporal.internal:7233 temper worker')
    .action(serveUntilStopped);
}

async function serveUntilStopped(options: Options): Promise<void> {
  const [{ serve }, { readPlaces }, { serverOf, withServer }, { onStopSignal }] = await Promise.all([
    import('../serve.ts'),
    import('../settings.ts'),
    import('./connect.ts'),
    import('../stop-signal.ts'),
  ]);
  const version = versionOf(options);
  const stop = onStopSignal(process);
  const settings = { ...readPlaces(process.env), heartbeatSeconds: options.heartbeat };
  const { connection: native } = await serverOf(process.env);
  await withServer(async ({ address, namespace, connection }) => {
    const serving = await serve({
      settings: { ...settings, namespace },
      connection,
      address,
      native,
      profile: options.profile,
      defaultRecipe: options.recipe ?? null,
      healthPort: options.healthPort,
      version,
      log: note,
      environment: process.env,
    });
    say(`A worker polls the task queue "${settings.taskQueue}" of ${address} (namespace ${namespace}).`);
    if (serving.healthPort !== null) say(`Its health and metrics: ${healthText(serving.healthPort)}.`);
    await serving.until(stop.asked);
  });
  say('The worker has left; its jobs run on.');
}

function versionOf({ deployment: deploymentName, buildId }: Options): DeploymentVersion | undefined {
  if (deploymentName === undefined && buildId === undefined) return undefined;
  if (deploymentName === undefined || buildId === undefined)
    throw new TemperError(
      'invalid-input',
      '--deployment and --build-id go together: a version of a deployment has both',
    );
  return { deploymentName, buildId };
}
