/** `temper link`: addresses in the Temporal UI. */
import { Command } from 'commander';
import { jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

export function link(): Command {
  return new Command('link')
    .description(
      'Prints the address of a pipeline’s page. Without a name, of the start form, filled with an example: the form copies the input of a run that is made for it and terminated at once. The UI is TEMPER_UI_URL, or the one of `temper up`.',
    )
    .argument('[pipeline]', 'its workflow id')
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  $ temper link tiny')
    .action(async (pipeline: string | undefined, options: { json?: true }) => {
      const { answered, pageOf, withServer } = await import('./connect.ts');
      await withServer(async (connected) => {
        const url = await (pipeline === undefined ? form() : page(pipeline));
        if (options.json) sayJson({ url });
        else say(url);

        async function form(): Promise<string> {
          const { startForm } = await import('../start-form.ts');
          const { client, places } = connected;
          return await startForm(client, { uiUrl: places.uiUrl, taskQueue: places.taskQueue });
        }
        async function page(workflowId: string): Promise<string> {
          const handle = connected.client.workflow.getHandle(workflowId);
          const { runId } = await answered(connected, `pipeline "${workflowId}"`, () => handle.describe());
          return pageOf(connected, workflowId, runId);
        }
      });
    });
}
