/** `temper worker`: a worker for a Temporal server that is there already. */
import { Command, Option } from 'commander';
import { portNumber } from './options.ts';
import { note, say } from './output.ts';

interface Options {
  readonly profile: string;
  readonly recipe?: string;
  readonly healthPort?: number;
}

export function worker(): Command {
  return new Command('worker')
    .description(
      'Serves pipelines of a Temporal server until Ctrl-C. Jobs run on without it: the next worker goes on watching them.',
    )
    .addOption(new Option('--profile <name>', 'where jobs run').default('local'))
    .addOption(new Option('--recipe <name>', 'what an empty input, {}, starts; without it, a recipe must be named'))
    .addOption(
      new Option(
        '--health-port <port>',
        'serve /healthz, /readyz and /metrics (Prometheus) there, on every address of the machine and without a password; nowhere unless named',
      )
        .env('TEMPER_HEALTH_PORT')
        .argParser(portNumber),
    )
    .addHelpText('after', '\nExample:\n  $ TEMPORAL_ADDRESS=temporal.internal:7233 temper worker')
    .action(async (options: Options) => {
      const [{ serve }, { readPlaces }, { serverOf, withServer }, { onStopSignal }] = await Promise.all([
        import('../serve.ts'),
        import('../settings.ts'),
        import('./connect.ts'),
        import('../stop-signal.ts'),
      ]);
      const stop = onStopSignal(process);
      const settings = readPlaces(process.env);
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
          log: note,
          environment: process.env,
        });
        say(`A worker polls the task queue "${settings.taskQueue}" of ${address} (namespace ${namespace}).`);
        if (serving.healthPort !== null)
          say(`Its health and metrics: http://127.0.0.1:${String(serving.healthPort)} (/healthz, /readyz, /metrics).`);
        await serving.until(stop.asked);
      });
      say('The worker has left; its jobs run on.');
    });
}
