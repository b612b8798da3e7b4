/** `temper import-eval`: brings results of another harness into the ledger. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { evalTools, type EvalTool, type ImportedResult } from '../../configs/schema-import.ts';
import { byOption, jsonOption, wholeNumber } from './options.ts';
import { note, say, sayJson } from './output.ts';

interface Options {
  readonly checkpoint: string;
  readonly benchmark?: string;
  readonly task?: string;
  readonly metric?: string;
  readonly problems?: number;
  readonly format?: EvalTool;
  readonly by: string;
  readonly pipeline?: string;
  readonly json?: true;
}

/** Of one message of Temporal's two megabytes. */
const mostBytes = 1_500_000;

export function importEval(): Command {
  return new Command('import-eval')
    .description(
      'Brings results of another harness into the ledger: of lm-eval results_<date>.json, with samples_<task>_<date>.jsonl beside it; of lighteval results_<date>.json, with details_<task>_<date>.parquet where --save-details put it or beside it; of NeMo-Skills metrics.json, with <benchmark>/output*.jsonl beside it, or one such output. Outcomes per problem become an evaluation of the checkpoint on a benchmark of its own, such as lm-eval-gsm8k, for `temper compare` and the leaderboard; a mean becomes a score from outside. Neither counts in a gate, unless --benchmark names one that the recipe has with "outside: true". The same file twice counts once. A file that is torn, lacks problems or is of another program is refused.',
    )
    .argument('<file>', 'a file of results on this machine')
    .requiredOption(
      '--checkpoint <checkpoint>',
      'what was evaluated: its id, as the leaderboard has it; or <pipeline>/<phase> for what that promoted, or its path',
    )
    .addOption(
      new Option('--benchmark <name>', 'a benchmark of the recipe with "outside: true": the score counts on it too'),
    )
    .addOption(new Option('--task <name>', 'this task of the file alone; all unless named'))
    .addOption(new Option('--metric <name>', 'which of several metrics, such as exact_match,strict-match'))
    .addOption(
      new Option('--problems <count>', 'how many problems it is to have, where the file does not say so').argParser(
        wholeNumber,
      ),
    )
    .addOption(
      new Option('--format <harness>', `${evalTools.join(', ')}; told by what the file holds unless named`).argParser(
        formatOf,
      ),
    )
    .addOption(byOption())
    .addOption(new Option('--pipeline <id>', "whose recipe has the benchmark; the checkpoint's own unless named"))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ temper import-eval out/results_2026-11-30T10-00-00.000000.json --checkpoint tiny/sft --metric exact_match,strict-match\n  $ temper import-eval eval-results/metrics.json --checkpoint tiny/sft/a1/checkpoint-50 --task aime25 --benchmark public',
    )
    .action(async (file: string, options: Options) => {
      const [{ ask }, { readEvalFile }, { TemperError }] = await Promise.all([
        import('./ask.ts'),
        import('../eval-files/read-eval-file.ts'),
        import('../../decisions/errors.ts'),
      ]);
      const { checkpoint, benchmark, pipeline, by, json, ...wish } = options;
      const results = await readEvalFile(file, wish);
      const bytes = Buffer.byteLength(JSON.stringify(results));
      if (bytes > mostBytes) {
        const message = `${file}: its outcomes are ${(bytes / 1e6).toFixed(1)} MB, and one import brings 1.5 MB at most: ${smallerOf(results)}`;
        throw new TemperError('invalid-input', message);
      }
      const answer = await ask(
        { question: 'import-eval', checkpoint, results, benchmark, pipeline, by },
        { direct: false },
      );
      if (json) {
        sayJson(answer);
        return;
      }
      say([...answer.evaluations, ...answer.scores].map(({ sentence }) => sentence).join('\n'));
      if (answer.evaluations.length === 0)
        note(
          `Only the mean was found, so that nothing is paired by problem: outcomes per problem are read from ${beside} and each answer is right or wrong by the metric.`,
        );
    });
}

const beside =
  'samples_<task>_<date>.jsonl of lm-eval (--log_samples), details_<task>_<date>.parquet of lighteval (--save-details) and output*.jsonl of NeMo-Skills, where they lie as they were written';

function smallerOf(results: readonly ImportedResult[]): string {
  if (new Set(results.map(({ task }) => task)).size > 1) return 'name a task with --task';
  if (results.length > 1) return 'name one output, output-rs<seed>.jsonl, after the other';
  return 'bring its mean alone, from a folder without its outcomes';
}

function formatOf(text: string): EvalTool {
  const format = evalTools.find((tool) => tool === text);
  if (format === undefined) throw new InvalidArgumentError(`It must be one of ${evalTools.join(', ')}.`);
  return format;
}
