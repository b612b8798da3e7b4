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
      const { answered, withServer } = await import('./connect.ts');
      await withServer(async (connected) => {
        const handle = connected.client.workflow.getHandle(pipeline);
        const { status } = await answered(connected, `pipeline "${pipeline}"`, () => handle.describe());
        if (status.name !== 'RUNNING') {
          say(`${pipeline} has ended already (${status.name.toLowerCase()}).`);
          return;
        }
        await handle.cancel();
        if (options.wait) await handle.result().catch(() => undefined);
        say(options.wait ? `${pipeline} has stopped.` : `${pipeline} is asked to stop; its jobs save first.`);
      });
    });
}
