/**
 * `temper` with its commands and its help.
 *
 * A command's own file is loaded when it is called, and not before: `temper --help` reads the list alone. Does not cover what a command
 * does (<command>.ts).
 */
import { Command } from 'commander';
import { exitCodeMeanings } from '../exit-codes.ts';
import { commands } from './commands.ts';

/** `words` are what follows `temper`: the program with the command that is called, and the names of the others. */
export async function programFor(words: readonly string[]): Promise<Command> {
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
