/** `temper prune`: which checkpoints may go and why the others stay; deletes only with `--yes`. */
import { Command, Option } from 'commander';
import { directOption, jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly direct?: true;
  readonly json?: true;
}

export function prune(): Command {
  return new Command('prune')
    .description(
      'Lists the checkpoints that may go, with what each gives back, and why the others stay: the newest two of a phase, those that are due, evaluated, pinned, promoted or read by a living job. Deletes nothing unless told --yes. Phases prune themselves by the same rule while they train.',
    )
    .argument('[pipeline]', 'its workflow id; every pipeline unless named')
    .argument('[phase]', 'one phase only')
    .addOption(new Option('-y, --yes', 'delete those that may go'))
    .addOption(new Option('-n, --dry-run', 'only say what would go, as without --yes').conflicts('yes'))
    .addOption(directOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ temper prune tiny --dry-run\n  $ temper prune tiny --yes')
    .action(async (pipeline: string | undefined, phase: string | undefined, options: Options) => {
      const [{ ask }, { pruneText }] = await Promise.all([import('./ask.ts'), import('../terminal/prune-text.ts')]);
      const question = {
        question: 'prune' as const,
        delete: options.yes === true,
        ...(pipeline === undefined ? {} : { pipeline }),
        ...(phase === undefined ? {} : { phase }),
      };
      const answer = await ask(question, { direct: options.direct === true });
      if (options.json) sayJson(answer);
      else say(pruneText(answer));
    });
}
