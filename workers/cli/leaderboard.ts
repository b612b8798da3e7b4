/** `temper leaderboard`: every evaluated checkpoint of a pipeline. */
import { Command } from 'commander';
import type { Leaderboard } from '../../workflows/contract.ts';
import { jsonOption } from './options.ts';
import { say, sayJson } from './output.ts';

export function leaderboard(): Command {
  return new Command('leaderboard')
    .description(
      'Shows every evaluated checkpoint of a pipeline: its mean with a 95 % interval, the gain over its parent in points, tokens, runtime, the verdict, and why.',
    )
    .argument('<pipeline>', 'its workflow id')
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  $ temper leaderboard tiny')
    .action(async (pipeline: string, options: { json?: true }) => {
      const { answered, requireWorker, withServer } = await import('./connect.ts');
      const { leaderboardText } = await import('../terminal/leaderboard-text.ts');
      await withServer(async (connected) => {
        await requireWorker(connected);
        const handle = connected.client.workflow.getHandle(pipeline);
        const { rows } = await answered(connected, `pipeline "${pipeline}"`, () =>
          handle.query<Leaderboard>('leaderboard'),
        );
        if (options.json) sayJson(rows);
        else say(rows.length > 0 ? leaderboardText(rows) : 'Nothing was evaluated yet.');
      });
    });
}
