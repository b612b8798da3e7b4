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
/** The discard port: a test meets no server but one that it names, whatever else runs on this machine. */
const noServer = { TEMPER_PORT: '9' };

export async function temper(words: readonly string[], surroundings: Surroundings = {}): Promise<Said> {
  return await run([process.execPath, program, ...words], surroundings);
}

export interface Running {
  /** Resolves with all of its output when this is in it; rejects when it ends before. */
  said(words: string): Promise<string>;
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<Said>;
  /** Asks it to stop, as Ctrl-C does unless another signal is named; resolves when it has. */
  stop(signal?: NodeJS.Signals): Promise<Said>;
}

/** A command that stays. */
export function startTemper(words: readonly string[], surroundings: Surroundings = {}): Running {
  const child = start([process.execPath, program, ...words], surroundings);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, 'close').then(() => ({ exitCode: child.exitCode, output, errors }));
  return {
    ended,
    async said(wanted) {
      while (!output.includes(wanted)) {
        const end = await Promise.race([ended, once(child.stdout, 'data').then(() => null)]);
        if (end) throw new Error(`it ended with ${String(end.exitCode)}: ${end.output}${end.errors}`);
      }
      return output;
    },
    async stop(signal = 'SIGINT') {
      if (child.exitCode === null) child.kill(signal);
      return await ended;
    },
  };
}

/** The same on a terminal of its own; what it prints comes together. */
export async function temperOnTerminal(words: readonly string[], surroundings: Surroundings = {}): Promise<Said> {
  const python = process.env['TEMPER_PYTHON'] ?? 'python3';
  const pty = 'import pty, sys, os; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
  return await run([python, '-c', pty, process.execPath, program, ...words], surroundings);
}

async function run(command: readonly string[], surroundings: Surroundings): Promise<Said> {
  const child = start(command, surroundings);
  const ended = once(child, 'close');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode: child.exitCode, output, errors };
}

function start([file = '', ...args]: readonly string[], { folder, environment }: Surroundings) {
  // Node takes a machine that says CI for one without colours, whatever its terminal can do.
  const { FORCE_COLOR: _colour, NO_COLOR: _none, CI: _machine, TEMPORAL_ADDRESS: _server, ...inherited } = process.env;
  return spawn(file, args, {
    cwd: folder ?? repository,
    env: { ...inherited, TERM: 'xterm-256color', ...noServer, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
