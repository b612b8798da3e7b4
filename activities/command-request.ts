/**
 * What the request of a phase of kind `command` adds: the command of this attempt, and how its work is read.
 *
 * Covers filling it in. Does not cover the rest of the request (attempts.ts) or running it (jobs.ts).
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { dueSteps } from '../decisions/due-steps.ts';
import {
  argumentsOf,
  commandOf,
  type CommandPhase,
  fill,
  type JobCommand,
  placeholderValues,
} from '../decisions/command-line.ts';
import type { PhaseContext } from '../workflows/contract.ts';

export interface CommandRequest {
  readonly command: JobCommand;
  /** store/foreign/reading.ts reads it. */
  readonly reading: {
    readonly format: string;
    readonly folder: string;
    readonly processes: number;
    readonly progress: CommandPhase['params']['progress'];
    readonly dueSteps: readonly number[];
    /** Whose log says how far it is. */
    readonly logRank: number;
  };
}

export function commandRequest(
  { start, seed }: Pick<PhaseContext, 'start' | 'seed'>,
  phase: CommandPhase,
  of: {
    readonly attempt: number;
    readonly output: string;
    readonly home: string;
    readonly resume: { readonly path: string } | null;
    readonly logRank: number;
  },
): CommandRequest {
  const { processes, checkpoints, progress } = phase.params;
  const values = placeholderValues(phase, {
    output: of.output,
    start: start?.path ?? null,
    base: start?.base ?? start?.path ?? null,
    checkpoint: of.resume?.path ?? null,
    home: of.home,
    seed,
    attempt: of.attempt,
  });
  const command = commandOf(phase, values);
  const { format, folder } = checkpoints;
  return { command, reading: { format, folder, processes, progress, dueSteps: dueSteps(phase), logRank: of.logRank } };
}

/** The files that a command names in its arguments, by how it names them: with another content, something else is trained. */
export async function filesNamedBy(phase: CommandPhase, home: string): Promise<ReadonlyMap<string, string>> {
  const begins = fill(phase.params.workingDirectory, { home });
  const named = new Map<string, string>();
  for (const text of argumentsOf(phase)) {
    const argument = fill(text.replace(/^--?[\w-]+=/, ''), { home });
    const path = isAbsolute(begins) ? resolve(begins, argument) : argument;
    if (isAbsolute(path) && dirname(path) !== path && (await isFile(path))) named.set(text, path);
  }
  return named;
}

/** What is not there, or no file, is an ordinary argument. */
async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
