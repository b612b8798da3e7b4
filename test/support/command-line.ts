/** `temper` as a person starts it: a process of its own, its words, and its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repository } from '../../scripts/repository.ts';

export interface Said {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>;
  /** @default the repository */
  readonly folder?: string;
}

const program = join(repository, 'bin', 'temper.mjs');

export async function temper(words: readonly string[], surroundings: Surroundings = {}): Promise<Said> {
  return await run([process.execPath, program, ...words], surroundings);
}

/** The same on a terminal of its own; what it prints comes together. */
export async function temperOnTerminal(words: readonly string[], surroundings: Surroundings = {}): Promise<Said> {
  const python = process.env['TEMPER_PYTHON'] ?? 'python3';
  const pty = 'import pty, sys, os; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
  return await run([python, '-c', pty, process.execPath, program, ...words], surroundings);
}

async function run([file = '', ...args]: readonly string[], surroundings: Surroundings): Promise<Said> {
  const { FORCE_COLOR: _colour, NO_COLOR: _none, ...inherited } = process.env;
  const child = spawn(file, args, {
    cwd: surroundings.folder ?? repository,
    env: { ...inherited, ...surroundings.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null ? once(child, 'exit') : null,
  ]);
  return { exitCode: child.exitCode, output, errors };
}
