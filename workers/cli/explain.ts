/** `temper explain`: why a pipeline is where it is. */
import { Command, Option } from 'commander';
import { directOption, jsonOption, wholeNumber } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly attempt?: number;
  readonly evidence?: true;
  readonly direct?: true;
  readonly json?: true;
}

export function explain(): Command {
  return new Command('explain')
    .description(
      'Tells every attempt, incident, decision and verdict of the newest run of a pipeline in sentences, with the numbers they rest on. Of a reused phase, those of the run that finished it. Of a sweep, what it looked at, evaluated and skipped, why, and what is worse than in the last one.',
    )
    .argument('<pipeline>', 'its workflow id; of a sweep also its name: then the newest')
    .argument('[phase]', 'one phase only')
    .addOption(new Option('--attempt <number>', 'one attempt only, with its evidence').argParser(wholeNumber))
    .addOption(
      new Option(
        '--evidence',
        'with the evidence of each failure: how every rank ended and its last words; of a cluster also conditions, containers and events',
      ),
    )
    .addOption(directOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ temper explain tiny drgrpo\n  $ temper explain tiny drgrpo --attempt 2')
    .action(async (pipeline: string, phase: string | undefined, options: Options) => {
      const [{ ask }, { explanationText }] = await Promise.all([
        import('./ask.ts'),
        import('../terminal/explanation-text.ts'),
      ]);
      const { attempt, evidence, direct = false } = options;
      const question = {
        question: 'explain' as const,
        pipeline,
        ...(phase === undefined ? {} : { phase }),
        ...(attempt === undefined ? {} : { attempt }),
        ...(evidence === undefined ? {} : { evidence }),
      };
      const answer = await ask(question, { direct });
      if (options.json) sayJson(answer);
      else say(explanationText(answer));
    });
}
