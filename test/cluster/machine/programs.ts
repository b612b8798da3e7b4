/** Runs a program to its end; its own words are in the error when it fails. */
import { execFile } from 'node:child_process';

export interface ProgramOptions {
  readonly input?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly folder?: string;
}

const mostOutputBytes = 64 * 1024 ** 2;

/** Standard output. Rejects with the command, how it ended, and what it wrote to standard error. */
export function run(program: string, args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const { input, environment = process.env, folder } = options;
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { env: environment, maxBuffer: mostOutputBytes, ...(folder === undefined ? {} : { cwd: folder }) },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${program} ${args.join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
      },
    );
    // A program that ends before it has read everything says why by itself.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}
