/** `temper explain`: why a pipeline is where it is. */
import { Command } from 'commander';
import { directOption, jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

export function explain(): Command {
  return new Command('explain')
    .description(
      'Tells every attempt, incident, decision and verdict of the newest run of a pipeline in sentences, with the numbers they rest on. Of a reused phase, those of the run that finished it.',
    )
    .argument('<pipeline>', 'its workflow id')
    .argument('[phase]', 'one phase only')
    .addOption(directOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  $ temper explain tiny drgrpo')
    .action(async (pipeline: string, phase: string | undefined, options: { direct?: true; json?: true }) => {
      const [{ ask }, { explanationText }] = await Promise.all([
        import('./ask.ts'),
        import('../terminal/explanation-text.ts'),
      ]);
      const question = { question: 'explain' as const, pipeline, ...(phase === undefined ? {} : { phase }) };
      const answer = await ask(question, { direct: options.direct === true });
      if (options.json) sayJson(answer);
      else say(explanationText(answer));
    });
}
