/** `temper logs`: the end of a job's log, and on request what comes. */
import { setTimeout as pause } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import type { Log, LogsQuestion } from '../../workflows/contract-questions.ts';
import { directOption, jsonOption, rankNumber, wholeNumber } from './options.ts';
import { note, say, sayJson, sayLog } from './output.ts';

interface Options {
  readonly attempt?: number;
  readonly rank?: number;
  readonly evaluation?: true;
  readonly lines: number;
  readonly follow?: true;
  readonly direct?: true;
  readonly json?: true;
}

/** A question waits this long for news, so that following costs few of them. */
const waitSeconds = 20;

export function logs(): Command {
  return new Command('logs')
    .description(
      "Shows the end of a job's log: of the phase and attempt that began last, unless they are named. On a terminal without what would move its cursor; a file or a pipe gets it as it was written. Of a sweep, its evaluation jobs.",
    )
    .argument('<pipeline>', 'its workflow id; of a sweep also its name: then the newest')
    .argument('[phase]', 'one phase only')
    .addOption(new Option('--attempt <number>', 'an earlier attempt').argParser(wholeNumber))
    .addOption(
      new Option('--rank <number>', 'of a job of several pods; the first, 0, unless named').argParser(rankNumber),
    )
    .addOption(new Option('--evaluation', 'evaluation jobs instead of training'))
    .addOption(new Option('-n, --lines <number>', 'at most this many lines').argParser(wholeNumber).default(100))
    .addOption(new Option('-f, --follow', 'go on with what comes, also of the attempts and phases that follow'))
    .addOption(directOption())
    .addOption(jsonOption().conflicts('follow'))
    .addHelpText('after', '\nExamples:\n  $ temper logs tiny -f\n  $ temper logs tiny sft --attempt 1 --rank 3 -n 20')
    .action(async (pipeline: string, phase: string | undefined, options: Options) => {
      const question: LogsQuestion = {
        question: 'logs',
        pipeline,
        ...(phase === undefined ? {} : { phase }),
        ...(options.evaluation ? { purpose: 'evaluate' as const } : {}),
        ...(options.attempt === undefined ? {} : { attempt: options.attempt }),
        ...(options.rank === undefined ? {} : { rank: options.rank }),
      };
      if (options.follow) await follow(question, options);
      else await showOnce(question, options);
    });
}

async function showOnce(question: LogsQuestion, options: Options): Promise<void> {
  const { ask } = await import('./ask.ts');
  const log = await ask(question, { direct: options.direct === true });
  const text = lastLines(log.text, options.lines);
  if (options.json) {
    sayJson({ ...log, text });
    return;
  }
  note(titleOf(log));
  sayLog(text);
}

async function follow(question: LogsQuestion, options: Options): Promise<void> {
  const [{ askDirectly, askWorker }, { withServer }, { onStopSignal }] = await Promise.all([
    import('./ask.ts'),
    import('./connect.ts'),
    import('../stop-signal.ts'),
  ]);
  const stop = onStopSignal(process).asked;
  stop.addEventListener('abort', () => process.exit(exitCodes.interrupted));
  if (options.direct) await followWith(askDirectly, question, options);
  else await withServer((connected) => followWith((wish) => askWorker(connected, wish), question, options));
}

async function followWith(
  ask: (question: LogsQuestion) => Promise<Log>,
  question: LogsQuestion,
  { lines }: Options,
): Promise<void> {
  let last = await ask(question);
  note(titleOf(last));
  sayLog(lastLines(last.text, lines));
  while (!last.isOver) {
    const next = await ask({ ...question, seen: { directory: last.directory, to: last.to }, waitSeconds });
    if (next.directory !== last.directory) note(`\n${titleOf(next)}`);
    sayLog(next.text);
    last = next;
    // What a huge log has kept back comes at once, but no faster than a server likes to be asked.
    await pause(200);
  }
  say('');
  note(last.ended ?? 'It has ended: nothing more comes.');
}

function titleOf({ phase, purpose, attempt, state, directory }: Log): string {
  const job = purpose === 'train' ? 'attempt' : 'evaluation job';
  return `${phase} ${job} ${String(attempt)} (${state}): ${directory}`;
}

function lastLines(text: string, count: number): string {
  const lines = text.split('\n');
  const end = lines.at(-1) === '' ? 1 : 0;
  return lines.slice(-count - end).join('\n');
}
