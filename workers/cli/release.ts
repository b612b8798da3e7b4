/** `temper release`: lets a held phase go on. */
import { Command, Option } from 'commander';
import type { ReleaseInput } from '../../workflows/contract.ts';
import { type SaidBy, withSaidBy } from './options.ts';
import { sendUpdate } from './send-update.ts';

interface Options extends SaidBy {
  readonly phase?: string;
}

export function release(): Command {
  const command = new Command('release')
    .description('Lets a held phase go on. Its earlier incidents are forgiven: its budget begins anew.')
    .argument('<pipeline>', 'its workflow id')
    .addOption(new Option('--phase <name>', 'the phase; the one that is held unless named'))
    .addHelpText('after', '\nExample:\n  $ temper release tiny --reason "the disk has room again"')
    .action(async (pipeline: string, options: Options) => {
      const input: ReleaseInput = { ...options };
      await sendUpdate(pipeline, 'release', input);
    });
  return withSaidBy(command);
}
