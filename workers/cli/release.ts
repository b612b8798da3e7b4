/** `temper release`: lets a held phase go on. */
import { userInfo } from 'node:os';
import { Command, Option } from 'commander';
import { TemperError } from '../../decisions/errors.ts';
import type { ReleaseInput } from '../../workflows/contract.ts';
import { say } from './output.ts';

interface Options {
  readonly phase?: string;
  readonly by: string;
  readonly reason?: string;
}

export function release(): Command {
  return new Command('release')
    .description('Lets a held phase go on. Its earlier incidents are forgiven: its budget begins anew.')
    .argument('<pipeline>', 'its workflow id')
    .addOption(new Option('--phase <name>', 'the phase; the one that is held unless named'))
    .addOption(new Option('--by <who>', 'who says so').default(userInfo().username, 'this user'))
    .addOption(new Option('--reason <why>', 'why, for whoever reads it later'))
    .addHelpText('after', '\nExample:\n  $ temper release tiny --reason "the disk has room again"')
    .action(async (pipeline: string, options: Options) => {
      const { answered, requireWorker, withServer } = await import('./connect.ts');
      const input: ReleaseInput = { ...options };
      await withServer(async (connected) => {
        await requireWorker(connected);
        const { WorkflowUpdateFailedError } = await import('@temporalio/client');
        const handle = connected.client.workflow.getHandle(pipeline);
        try {
          say(
            await answered(connected, `pipeline "${pipeline}" that runs`, () =>
              handle.executeUpdate<string, [ReleaseInput]>('release', { args: [input] }),
            ),
          );
        } catch (error) {
          if (!(error instanceof WorkflowUpdateFailedError)) throw error;
          throw new TemperError('invalid-input', error.cause?.message ?? error.message, { cause: error });
        }
      });
    });
}
