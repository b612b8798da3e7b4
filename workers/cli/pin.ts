/** `temper pin` and `temper unpin`: a checkpoint that no pruning deletes, or may again. */
import { Command } from 'commander';
import { directOption, jsonOption, type SaidBy, withSaidBy } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options extends SaidBy {
  readonly direct?: true;
  readonly json?: true;
}

export function pin(): Command {
  return commandThat('pin')
    .description(
      'Keeps a checkpoint from every pruning until it is unpinned, with what it stands on. Written down with who said so and why: temper explain tells it.',
    )
    .addHelpText('after', '\nExample:\n  $ temper pin tiny/sft/a1/checkpoint-45 --reason "for the talk"');
}

export function unpin(): Command {
  return commandThat('unpin')
    .description(
      'Takes a pin away. A checkpoint that was promoted or evaluated, or that another was made from, stays all the same.',
    )
    .addHelpText('after', '\nExample:\n  $ temper unpin tiny/sft/a1/checkpoint-45');
}

function commandThat(name: 'pin' | 'unpin'): Command {
  const command = new Command(name).argument(
    '<checkpoint>',
    'its id, its path, or pipeline/phase for the one that was promoted there',
  );
  return withSaidBy(command)
    .addOption(directOption())
    .addOption(jsonOption())
    .action(async (checkpoint: string, { by, reason, direct, json }: Options) => {
      const [{ ask }, { pinText }] = await Promise.all([import('./ask.ts'), import('../terminal/pin-text.ts')]);
      const said = { by, ...(reason === undefined ? {} : { reason }) };
      const question = { question: 'pin' as const, checkpoint, pinned: name === 'pin', ...said };
      const answer = await ask(question, { direct: direct === true });
      if (json) sayJson(answer);
      else say(pinText(answer));
    });
}
