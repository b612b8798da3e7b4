/** `temper reap`: which living jobs run for nobody; stops them only with `--yes`. */
import { Command, Option } from 'commander';
import { jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly yes?: true;
  readonly json?: true;
}

export function reap(): Command {
  return new Command('reap')
    .description(
      'Lists the living jobs of the worker’s store that run for nobody: their workflow run has been closed for more than ten minutes, as after a termination by hand. Stops nothing unless told --yes; the worker stops them by itself, a minute later at most.',
    )
    .addOption(new Option('-y, --yes', 'stop those that run for nobody; they save first'))
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  $ temper reap')
    .action(async (options: Options) => {
      const [{ ask }, { reapText }] = await Promise.all([import('./ask.ts'), import('../terminal/reap-text.ts')]);
      const answer = await ask({ question: 'reap', stop: options.yes === true }, { direct: false });
      if (options.json) sayJson(answer);
      else say(reapText(answer));
    });
}
