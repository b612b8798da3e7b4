/** `temper worker`: a worker for a Temporal server that is there already. */
import { Command, Option } from 'commander';
import { note, say } from './output.ts';

interface Options {
  readonly profile: string;
  readonly recipe?: string;
}

export function worker(): Command {
  return new Command('worker')
    .description(
      'Serves pipelines of a Temporal server until Ctrl-C. Jobs run on without it: the next worker goes on watching them.',
    )
    .addOption(new Option('--profile <name>', 'where jobs run').default('local'))
    .addOption(new Option('--recipe <name>', 'what an empty input, {}, starts; without it, a recipe must be named'))
    .addHelpText('after', '\nExample:\n  $ TEMPORAL_ADDRESS=temporal.internal:7233 temper worker')
    .action(async (options: Options) => {
      const [{ serve }, { readSettings }, { serverOf, withServer }, { onStopSignal }] = await Promise.all([
        import('../serve.ts'),
        import('../settings.ts'),
        import('./connect.ts'),
        import('../stop-signal.ts'),
      ]);
      const stop = onStopSignal(process);
      const settings = readSettings(process.env);
      const { connection: native } = await serverOf(process.env);
      await withServer(async ({ address, namespace, connection }) => {
        const serving = await serve({
          settings: { ...settings, namespace },
          connection,
          address,
          native,
          profile: options.profile,
          defaultRecipe: options.recipe ?? null,
          log: note,
        });
        say(`A worker polls the task queue "${settings.taskQueue}" of ${address} (namespace ${namespace}).`);
        await serving.until(stop.asked);
      });
      say('The worker has left; its jobs run on.');
    });
}
