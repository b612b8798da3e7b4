/** `temper lineage`: what a checkpoint was made from, back to its base. */
import { Command } from 'commander';
import { directOption, jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly direct?: true;
  readonly json?: true;
}

export function lineage(): Command {
  return new Command('lineage')
    .description(
      'A checkpoint and all that it was made from, back to its base, also in other pipelines: the phase and the steps of each attempt, the data with their digests, the fields of the recipe, what the gate said, and whether it lies there still.',
    )
    .argument('<checkpoint>', 'its id, its path, or pipeline/phase for the one that was promoted there')
    .addOption(directOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ temper lineage tiny/sao\n  $ temper lineage tiny/sft/a1/checkpoint-50 --json',
    )
    .action(async (of: string, { direct, json }: Options) => {
      const [{ ask }, { lineageText }] = await Promise.all([import('./ask.ts'), import('../terminal/lineage-text.ts')]);
      const answer = await ask({ question: 'lineage', of }, { direct: direct === true });
      if (json) sayJson(answer);
      else say(lineageText(answer));
    });
}
