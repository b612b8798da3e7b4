/**
 * Sends an update to a pipeline and says what it answers; a refusal in the words of the workflow.
 *
 * Covers that no worker is there: it is said at once. Does not cover what an update asks for.
 */
import { userInfo } from 'node:os';
import { Option } from 'commander';
import { TemperError } from '../../decisions/errors.ts';
import { say } from './output.ts';

/** Who says so and why, of every update. */
export interface SaidBy {
  readonly by: string;
  readonly reason?: string;
}

export const saidByOptions = (): Option[] => [
  new Option('--by <who>', 'who says so').default(userInfo().username, 'this user'),
  new Option('--reason <why>', 'why, for whoever reads it later'),
];

export async function sendUpdate(pipeline: string, update: string, input: object): Promise<void> {
  const { answered, requireWorker, withServer } = await import('./connect.ts');
  await withServer(async (connected) => {
    await requireWorker(connected);
    const { WorkflowUpdateFailedError } = await import('@temporalio/client');
    const handle = connected.client.workflow.getHandle(pipeline);
    try {
      say(
        await answered(connected, `pipeline "${pipeline}" that runs`, () =>
          handle.executeUpdate<string, [object]>(update, { args: [input] }),
        ),
      );
    } catch (error) {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new TemperError('invalid-input', error.cause?.message ?? error.message, { cause: error });
    }
  });
}
