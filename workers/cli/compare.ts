/** `temper compare`: two checkpoints on the same problems. */
import { Command, Option } from 'commander';
import { directOption, jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly benchmark?: string;
  readonly json?: true;
  readonly direct?: true;
}

export function compare(): Command {
  return new Command('compare')
    .description(
      'Compares two checkpoints over the problems that both were evaluated on: the difference with its 95 % interval, what went from right to wrong and back, each type of problem, tokens, time, and which problems moved. Of the same benchmark and version only. Scores from outside are compared by their means.',
    )
    .argument('<first>', 'a checkpoint, by its id, by <pipeline>/<phase> for the one that was promoted, or by its path')
    .argument('<second>', 'the other: every difference is this one less the first')
    .addOption(new Option('--benchmark <name>', 'on this benchmark only'))
    .addOption(directOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ temper compare tiny/sft tiny/drgrpo\n  $ temper compare tiny/sft/a1/checkpoint-40 tiny/sft/a1/checkpoint-50 --benchmark addition',
    )
    .action(async (first: string, second: string, options: Options) => {
      const { benchmark, direct = false } = options;
      const [{ ask }, { comparisonText }] = await Promise.all([
        import('./ask.ts'),
        import('../terminal/comparison-text.ts'),
      ]);
      const answer = await ask({ question: 'compare' as const, first, second, benchmark }, { direct });
      if (options.json) sayJson(answer);
      else say(comparisonText(answer));
    });
}
