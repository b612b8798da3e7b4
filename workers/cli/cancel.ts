/** `temper cancel`: stops a pipeline; its trainers save first. */
import { Command, Option } from 'commander';
import { say } from './output.ts';

export function cancel(): Command {
  return new Command('cancel')
    .description(
      'Asks a pipeline to stop. Its jobs get time to save; a pipeline started anew with the same recipe goes on from what is finished.',
    )
    .argument('<pipeline>', 'its workflow id')
    .addOption(new Option('--wait', 'return when it has stopped'))
    .addHelpText('after', '\nExample:\n  $ temper cancel tiny --wait')
    .action(async (pipeline: string, options: { wait?: true }) => {
      const [{ answered, withServer }, { wordOfStatus }] = await Promise.all([
        import('./connect.ts'),
        import('../run-state.ts'),
      ]);
      await withServer(async (connected) => {
        const handle = connected.client.workflow.getHandle(pipeline);
        const { status } = await answered(connected, `pipeline "${pipeline}"`, () => handle.describe());
        const state = wordOfStatus(status.name);
        if (state !== 'running') {
          say(`${pipeline} has ended already (${state}).`);
          return;
        }
        await handle.cancel();
        if (options.wait) await handle.result().catch(() => undefined);
        say(options.wait ? `${pipeline} has stopped.` : `${pipeline} is asked to stop; its jobs save first.`);
      });
    });
}
