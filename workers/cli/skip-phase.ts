/** `temper skip-phase`: ends a phase that is held or has not begun; what follows starts from its parent. */
import { Command, Option } from 'commander';
import type { SkipPhaseInput } from '../../configs/schema-input-steering.ts';
import { type SaidBy, withSaidBy } from './options.ts';
import { sendUpdate } from './send-update.ts';

interface Options extends SaidBy {
  readonly phase?: string;
}

export function skipPhase(): Command {
  const command = new Command('skip-phase')
    .description(
      'Ends a phase that is held or has not begun: what follows starts from what it would have started from.',
    )
    .argument('<pipeline>', 'its workflow id')
    .addOption(
      new Option(
        '--phase <name>',
        'the phase; the one that is held unless named; one that has not begun has to be named',
      ),
    )
    .addHelpText('after', '\nExample:\n  $ temper skip-phase tiny --phase orpo --reason "no pairs today"')
    .action(async (pipeline: string, options: Options) => {
      const input: SkipPhaseInput = { ...options };
      await sendUpdate(pipeline, 'skipPhase', input);
    });
  return withSaidBy(command);
}
