/** `temper start`: a pipeline from a recipe of the worker, or from a file of this machine. */
import { Argument, Command, Option } from 'commander';
import type { Connected } from './connect.ts';
import { fileOption, jsonOption, profileOption, setOption, type Set } from './options.ts';
import { note, say, sayJson } from './output.ts';

interface Options {
  readonly file?: string;
  readonly set: Set;
  readonly profile?: string;
  readonly id?: string;
  readonly follow?: true;
  readonly json?: true;
}

export function start(): Command {
  return new Command('start')
    .description(
      'Starts a pipeline. A recipe from a file is checked here first, and travels with the start; one that is named is the worker’s. Work that is finished already is reused.',
    )
    .addArgument(new Argument('[recipe]', "a recipe that the worker has; the worker's default unless named"))
    .addOption(fileOption())
    .addOption(setOption())
    .addOption(profileOption())
    .addOption(new Option('--id <id>', "the pipeline's workflow id; the recipe's name unless named"))
    .addOption(new Option('--follow', 'show its phases until it ends'))
    .addOption(jsonOption().conflicts('follow'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ temper start tiny --follow\n  $ temper start -f mine.yaml --set seed=2 --id mine-seed-2',
    )
    .action(async (recipe: string | undefined, options: Options) => {
      const [{ inputOf }, { withServer }, { startPipeline }] = await Promise.all([
        import('./given-recipe.ts'),
        import('./connect.ts'),
        import('./start-pipeline.ts'),
      ]);
      const { input, name } = await inputOf({ recipe, ...options });
      await withServer(async (connected) => {
        const { unanswered, ...run } = await startPipeline(connected, {
          pipelineId: options.id ?? name ?? 'pipeline',
          input,
        });
        for (const sentence of run.warnings) note(`warning: ${sentence}`);
        if (options.json) sayJson(run);
        else say(`Started ${run.pipeline}: ${run.page}`);
        if (unanswered !== null) throw unanswered;
        if (options.follow) await followToItsEnd(connected, run);
      });
    });
}

async function followToItsEnd(connected: Connected, run: { pipeline: string; runId: string }): Promise<void> {
  const { followInTerminal } = await import('./follow-in-terminal.ts');
  process.exitCode = await followInTerminal(connected, { pipelineId: run.pipeline, runId: run.runId });
}
