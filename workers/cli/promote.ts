/** `temper promote`: a person names the checkpoint that a held phase ends with. */
import { Command, Option } from 'commander';
import type { PromoteInput } from '../../configs/schema-input-steering.ts';
import { type SaidBy, withSaidBy } from './options.ts';
import { sendUpdate } from './send-update.ts';

interface Options extends SaidBy {
  readonly phase?: string;
}

export function promote(): Command {
  const command = new Command('promote')
    .description('Ends a held phase with a checkpoint of it that you name, whatever its gate says.')
    .argument('<pipeline>', 'its workflow id')
    .argument('<checkpoint>', 'its id, or its short name, such as sft-40')
    .addOption(new Option('--phase <name>', 'the phase; the one that is held unless named'))
    .addHelpText('after', '\nExample:\n  $ temper promote tiny sft-40 --reason "best by hand"')
    .action(async (pipeline: string, checkpoint: string, options: Options) => {
      const input: PromoteInput = { checkpoint, ...options };
      await sendUpdate(pipeline, 'promote', input);
    });
  return withSaidBy(command);
}
