/** `temper withdraw`: takes back evidence from outside; a gate that waits judges again without it. */
import { Command, Option } from 'commander';
import { byOption, jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly note: string;
  readonly by: string;
  readonly json?: true;
}

export function withdraw(): Command {
  return new Command('withdraw')
    .description(
      'Takes back what came in from outside and was wrong, such as an import for another checkpoint: an imported evaluation, with the scores that the same file brought, or one score. It counts nowhere from then on: not on the leaderboard, not in comparisons, not in gates; a phase whose gate waits judges again without it, and one that has decided does not. It stays to be read, with who, when and why: on the leaderboard, and in `temper explain`. Brought once more it counts again. Where another number is right, `temper record-score --corrects` puts it in its place.',
    )
    .argument('<id>', 'of the import or the score, as import-eval, record-score and explain say it')
    .addOption(new Option('--note <text>', 'why: what whoever looks for it should know').makeOptionMandatory())
    .addOption(byOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  $ temper withdraw 3f2a90c41b7d --note "of checkpoint 40, not of 50"')
    .action(async (id: string, { note, by, json }: Options) => {
      const { ask } = await import('./ask.ts');
      const answer = await ask({ question: 'withdraw', id, by, note }, { direct: false });
      if (json) sayJson(answer);
      else say(answer.sentence);
    });
}
