/** `temper plan`: what a recipe would run, what it would reuse, and where each value came from. Starts nothing. */
import { Argument, Command, Option } from 'commander';
import { directOption, fileOption, jsonOption, profileOption, setOption, type Set } from './options.ts';
import { note, say, sayJson } from './output.ts';

interface Options {
  readonly file?: string;
  readonly set: Set;
  readonly profile?: string;
  readonly values: boolean;
  readonly direct?: true;
  readonly json?: true;
}

export function plan(): Command {
  return new Command('plan')
    .description(
      'Says for each phase whether it would run or be reused from finished work, and why; when it is not reused, which field differs. Then each resolved value with where it came from: the recipe, --set, or a default. Starts nothing.',
    )
    .addArgument(new Argument('[recipe]', "a recipe that the worker has; the worker's default unless named"))
    .addOption(fileOption())
    .addOption(setOption())
    .addOption(profileOption())
    .addOption(new Option('--no-values', 'leave the values out'))
    .addOption(directOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  $ temper plan -f mine.yaml --set phases.sft.params.learningRate=1e-4')
    .action(async (recipe: string | undefined, options: Options) => {
      const [{ inputOf }, { ask }, { planText, valuesText }] = await Promise.all([
        import('./given-recipe.ts'),
        import('./ask.ts'),
        import('../terminal/plan-text.ts'),
      ]);
      const { input } = await inputOf({ recipe, ...options });
      const answer = await ask({ question: 'plan', input }, { direct: options.direct === true });
      if (options.json) {
        sayJson(answer);
        return;
      }
      for (const sentence of answer.warnings ?? []) note(`warning: ${sentence}`);
      say(planText({ ...answer, source: options.file ?? answer.source }));
      if (options.values) say(`\n${valuesText(answer.values)}`);
    });
}
