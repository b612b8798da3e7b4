/** `temper retry-phase`: a held phase begins anew from its start, with other parameters where some are named. */
import { Command, Option } from 'commander';
import type { RetryPhaseInput } from '../../configs/schema-input-steering.ts';
import { type Set, setOption } from './options.ts';
import { type SaidBy, withSaidBy } from './options.ts';
import { sendUpdate } from './send-update.ts';

interface Options extends SaidBy {
  readonly phase?: string;
  readonly set: Set;
}

export function retryPhase(): Command {
  const set = setOption();
  set.description = 'change a parameter of the phase, such as params.learningRate=1e-4; may be repeated';
  const command = new Command('retry-phase')
    .description(
      'A held phase begins anew from its start: its checkpoints and its failures count no more. `temper release` goes on from the newest checkpoint instead.',
    )
    .argument('<pipeline>', 'its workflow id')
    .addOption(new Option('--phase <name>', 'the phase; the one that is held unless named'))
    .addOption(set)
    .addHelpText(
      'after',
      '\nExample:\n  $ temper retry-phase tiny --set params.learningRate=1e-4 --reason "it diverged"',
    )
    .action(async (pipeline: string, options: Options) => {
      await sendUpdate(pipeline, 'retryPhase', await retryInput(options));
    });
  return withSaidBy(command);
}

/** Values of `--set` as YAML has them: `1e-4` is a number. Throws `invalid-input`. */
export async function retryInput(options: Options): Promise<RetryPhaseInput> {
  const { valuesOf } = await import('./given-recipe.ts');
  return { ...options, set: valuesOf(options.set) };
}
