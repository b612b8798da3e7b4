/** Follows a pipeline in this terminal; its end is the exit code. Ctrl-C ends the following, never the pipeline. */
import type { Leaderboard } from '../../workflows/contract.ts';
import { exitCodes } from '../exit-codes.ts';
import { onStopSignal } from '../stop-signal.ts';
import { followPipeline } from '../terminal/follow.ts';
import { leaderboardText } from '../terminal/leaderboard-text.ts';
import { timesText } from '../terminal/times-text.ts';
import { answered, type Connected } from './connect.ts';
import { say, screenOf } from './output.ts';

export async function followInTerminal(
  connected: Connected,
  run: { readonly pipelineId: string; readonly runId: string },
): Promise<number> {
  const { client } = connected;
  const screen = screenOf(process.stdout);
  const stop = onStopSignal(process);
  const died = new Promise<never>(() => undefined);
  const end = await followPipeline({ client, run, screen, stop: stop.asked, died });
  screen.leave();
  switch (end.kind) {
    case 'completed': {
      const handle = client.workflow.getHandle(run.pipelineId, run.runId);
      const { rows } = await answered(connected, `pipeline "${run.pipelineId}"`, () =>
        handle.query<Leaderboard>('leaderboard'),
      );
      if (rows.length > 0) say(`\n${leaderboardText(rows)}`);
      say(`\n${timesText(end.result)}`);
      return exitCodes.done;
    }
    case 'failed':
      say(end.message);
      return exitCodes.failed;
    case 'stopped':
      say(`The pipeline goes on without being watched; \`temper status -f ${run.pipelineId}\` watches it again.`);
      return exitCodes.interrupted;
  }
}
