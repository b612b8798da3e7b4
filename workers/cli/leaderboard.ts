/** `temper leaderboard`: evaluated checkpoints of a pipeline, or the best of all. */
import { Command, Option } from 'commander';
import { TemperError } from '../../decisions/errors.ts';
import { directOption, jsonOption, wholeNumber } from './options.ts';
import { note, say, sayJson, sayLog } from './output.ts';

interface Options {
  readonly pipeline?: string;
  readonly benchmark?: string;
  readonly most?: number;
  readonly csv?: true;
  readonly json?: true;
  readonly direct?: true;
}

/** 200 rows take a busy worker its time. */
const answerSeconds = 110;

export function leaderboard(): Command {
  return new Command('leaderboard')
    .description(
      'Shows every evaluated checkpoint of a pipeline, the best that a sweep looked at, or the best of all pipelines, on each benchmark: its mean with a 95 % interval, the gain over its parent in points, votes (maj@k), pass@k, tokens, runtime, the verdict, and why; below them scores from outside. Evaluations that lack problems are shown as what they are, and never count.',
    )
    .argument(
      '[pipeline]',
      'its workflow id; of a sweep also its name: then the newest; without one, all pipelines of the ledger, the best first',
    )
    .addOption(new Option('--pipeline <name>', 'the same'))
    .addOption(new Option('--benchmark <name>', 'on this benchmark only'))
    .addOption(
      new Option('--most <number>', 'rows of each benchmark, of a sweep or of all pipelines')
        .argParser(wholeNumber)
        .default(20),
    )
    .addOption(directOption())
    .addOption(jsonOption())
    .addOption(new Option('--csv', 'for a spreadsheet: one line a row').conflicts('json'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ temper leaderboard tiny\n  $ temper leaderboard --benchmark addition\n  $ temper leaderboard tiny --csv > tiny.csv',
    )
    .action(async (named: string | undefined, options: Options) => {
      const { benchmark, most, direct = false } = options;
      const pipeline = pipelineOf(named, options.pipeline);
      const [{ ask }, { besideRows, leaderboardAnswerText }, { leaderboardCsv }] = await Promise.all([
        import('./ask.ts'),
        import('../terminal/leaderboard-text.ts'),
        import('./leaderboard-csv.ts'),
      ]);
      const question = { question: 'leaderboard' as const, pipeline, benchmark, most };
      const answer = await ask(question, { direct, seconds: answerSeconds });
      if (options.json) sayJson(answer);
      else if (options.csv) {
        sayLog(leaderboardCsv(answer.rows, answer.outside));
        for (const text of besideRows(answer)) note(text);
      } else say(leaderboardAnswerText(answer));
    });
}

function pipelineOf(named: string | undefined, option: string | undefined): string | undefined {
  if (named !== undefined && option !== undefined && named !== option)
    throw new TemperError('invalid-input', `two pipelines are named: ${named} and ${option}`);
  return named ?? option;
}
