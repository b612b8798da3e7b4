/**
 * `temper`: the command line.
 *
 * A command's own file is loaded when it is called, and not before: `temper --help` reads the list alone. Does not cover what a command
 * does (cli/<command>.ts).
 */
import { Command, CommanderError } from 'commander';
import { commands } from './cli/commands.ts';
import { exitCodeMeanings, exitCodes, explained } from './exit-codes.ts';

process.stdout.on('error', endQuietlyWithoutReader);

try {
  const program = await programFor(process.argv.slice(2));
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = answerTo(error);
}

/** The program with the command that is called, and the names of the others. */
async function programFor(words: readonly string[]): Promise<Command> {
  const called = words[0] === 'help' ? words[1] : words[0];
  const program = new Command('temper')
    .description('Post-training of language models in phases, as durable Temporal workflows.')
    .usage('<command> [options]')
    .helpOption('-h, --help', 'what there is, or what a command does')
    .addHelpText('after', afterHelp())
    .exitOverride();
  for (const { name, summary, load } of commands) {
    const command = name === called ? await load() : new Command(name);
    program.addCommand(command.name(name).summary(summary).helpOption('-h, --help', 'this text').exitOverride());
  }
  return program.helpCommand('help [command]', 'what a command does');
}

function afterHelp(): string {
  const codes = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `
Example:
  $ temper up                                  # a server, a worker and the UI on this machine, until Ctrl-C
  $ temper start tiny --follow                 # in another terminal

A server elsewhere is named as for any Temporal program: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS…,
or a profile of temporal.toml (TEMPORAL_PROFILE). Without them: 127.0.0.1:7233 (TEMPER_PORT).

Exit codes:
${codes.join('\n')}`;
}

function answerTo(error: unknown): number {
  // Commander has said what is wrong already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.badInput;
  const { text, exitCode } = explained(error);
  process.stderr.write(`temper: ${text}\n`);
  return exitCode;
}

/** `temper logs … | head` ends the reader first. */
function endQuietlyWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.done);
}
