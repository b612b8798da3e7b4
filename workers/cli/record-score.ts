/** `temper record-score`: brings a score from outside into the ledger; a gate that waits for it goes on. */
import { userInfo } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption, wholeNumber } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  readonly problems?: number;
  readonly runs?: number;
  readonly sd?: string;
  readonly se?: string;
  readonly place?: number;
  readonly runtime?: number | 'kept' | 'missed';
  readonly source?: string;
  readonly by: string;
  readonly note?: string;
  readonly corrects?: string;
  readonly pipeline?: string;
  readonly json?: true;
}

export function recordScore(): Command {
  return new Command('record-score')
    .description(
      'Brings what is known of a checkpoint from outside, such as a public leaderboard, a human panel or the harness of another team, into the ledger: a score, its place among others, the time of a run, or whether it kept a limit. It counts in the gates that name the benchmark, and a phase that waits for it goes on. Told twice it counts once. What was wrong is corrected by a score that names it with --corrects, and stays to be read.',
    )
    .argument(
      '<checkpoint>',
      'its id, as the leaderboard has it; or <pipeline>/<phase> for what that promoted, or its path',
    )
    .argument('<benchmark>', 'a benchmark of the recipe with "outside: true"')
    .argument('[score]', 'the mean over its runs: 40/50, 80% or 0.8')
    .addOption(
      new Option('--problems <count>', 'problems it is over, where neither the score nor the recipe says so').argParser(
        wholeNumber,
      ),
    )
    .addOption(new Option('--runs <count>', 'runs it is the mean of; 1 unless named').argParser(wholeNumber))
    .addOption(new Option('--sd <share>', 'standard deviation of the score from run to run, such as 2.4%'))
    .addOption(new Option('--se <share>', 'standard error of the score, where that is known'))
    .addOption(new Option('--place <number>', 'its place on a leaderboard, 1 the highest').argParser(wholeNumber))
    .addOption(
      new Option('--runtime <minutes>', 'minutes of one run; or kept, or missed, of a limit').argParser(runtimeOf),
    )
    .addOption(new Option('--source <where>', 'where it is from; another run with the same score needs its own'))
    .addOption(new Option('--by <who>', 'who says so').default(userInfo().username, 'this user'))
    .addOption(new Option('--note <text>', 'what whoever reads it later should know'))
    .addOption(new Option('--corrects <id>', 'a score that this one stands for; needs --note'))
    .addOption(new Option('--pipeline <id>', "whose recipe has the benchmark; the checkpoint's own unless named"))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ temper record-score tiny/sft/a1/checkpoint-50 public 40/50 --source "submission 12"\n  $ temper record-score tiny/sft/a1/checkpoint-50 public --runtime kept',
    )
    .action(async (...[checkpoint, benchmark, score, options]: [string, string, string | undefined, Options]) => {
      const { ask } = await import('./ask.ts');
      const { sd, se, pipeline, json, ...rest } = options;
      const told = {
        ...{ checkpoint, benchmark, ...rest },
        ...(score === undefined ? {} : { score }),
        ...(sd === undefined ? {} : { deviation: sd }),
        ...(se === undefined ? {} : { standardError: se }),
      };
      const whose = pipeline === undefined ? {} : { pipeline };
      const answer = await ask({ question: 'record-score', score: told, ...whose }, { direct: false });
      if (json) sayJson(answer);
      else say(answer.sentence);
    });
}

function runtimeOf(text: string): number | 'kept' | 'missed' {
  if (text === 'kept' || text === 'missed') return text;
  const minutes = Number(text);
  if (text.trim() === '' || !(minutes > 0) || !Number.isFinite(minutes))
    throw new InvalidArgumentError('It must be minutes, kept or missed.');
  return minutes;
}
