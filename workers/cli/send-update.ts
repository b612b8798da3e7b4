/**
 * Sends an update to a pipeline and says what it answers; a refusal in the words of the workflow.
 *
 * Covers that no worker is there: it is said at once. Does not cover what an update asks for.
 */
import { TemperError } from '../../decisions/errors.ts';
import { say } from './output.ts';

/** What was accepted may wait for the ledger. */
const resultSeconds = 120;

export async function sendUpdate(pipeline: string, update: string, input: object): Promise<void> {
  const [{ asTemperError }, { answered, answerSeconds, requireWorker, withServer }] = await Promise.all([
    import('./ask.ts'),
    import('./connect.ts'),
  ]);
  await withServer(async (connected) => {
    await requireWorker(connected);
    const { WorkflowUpdateFailedError } = await import('@temporalio/client');
    const handle = connected.client.workflow.getHandle(pipeline);
    const what = `pipeline "${pipeline}" that runs`;
    const tooLate = `what was asked may still be done, and \`temper explain ${pipeline}\` tells`;
    try {
      const accepted = await answered(connected, { what, seconds: answerSeconds, tooLate }, () =>
        handle.startUpdate<string, [object]>(update, { args: [input], waitForStage: 'ACCEPTED' }),
      );
      say(await answered(connected, { what, seconds: resultSeconds, tooLate }, () => accepted.result()));
    } catch (error) {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      const why = asTemperError(error.cause ?? error);
      throw why instanceof TemperError ? why : new TemperError('invalid-input', why.message, { cause: error });
    }
  });
}
