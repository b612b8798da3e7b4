/** `temper hold`: stops the phase that runs with a save, and holds it for a person. */
import { Command, Option } from 'commander';
import type { HoldInput } from '../../configs/schema-input-steering.ts';
import { type SaidBy, withSaidBy } from './options.ts';
import { sendUpdate } from './send-update.ts';

interface Options extends SaidBy {
  readonly phase?: string;
}

export function hold(): Command {
  const command = new Command('hold')
    .description(
      'Stops the phase that runs with a save, releases its GPUs, and holds it. A phase that has not begun is held before it begins. `temper release` lets it go on.',
    )
    .argument('<pipeline>', 'its workflow id')
    .addOption(new Option('--phase <name>', 'the phase; the one that runs unless named'))
    .addHelpText('after', '\nExample:\n  $ temper hold tiny --reason "the nodes are needed tonight"')
    .action(async (pipeline: string, options: Options) => {
      const input: HoldInput = { ...options };
      await sendUpdate(pipeline, 'hold', input);
    });
  return withSaidBy(command);
}
