/**
 * `temper`: the command line.
 *
 * Covers how it ends. Does not cover which commands there are (cli/program.ts) or what one does (cli/<command>.ts).
 */
import { CommanderError } from 'commander';
import { note } from './cli/output.ts';
import { programFor } from './cli/program.ts';
import { exitCodes, explained } from './exit-codes.ts';

process.stdout.on('error', endQuietlyWithoutReader);

try {
  const program = await programFor(process.argv.slice(2));
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = answerTo(error);
}

function answerTo(error: unknown): number {
  // Commander has said what is wrong already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.badInput;
  const { text, exitCode } = explained(error);
  note(`temper: ${text}`);
  return exitCode;
}

/** `temper logs … | head` ends the reader first. */
function endQuietlyWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.done);
}
