/** Runs one part of the check to its end and keeps what it printed, so that parts side by side do not mix their lines. */
import { spawn } from 'node:child_process';
import type { Command, Part } from './parts.ts';

/** How a part ended; `seconds` is wall time. */
export interface Outcome {
  readonly part: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** Runs every command of a part, also after one failed: each finding is worth seeing. `stop` ends the one at work. */
export async function runPart(part: Part, stop: AbortSignal): Promise<Outcome> {
  const begun = performance.now();
  let output = '';
  let passed = true;
  for (const command of part.commands) {
    const ended = await runCommand(command, stop);
    output += ended.output;
    passed &&= ended.passed;
  }
  return { part: part.name, passed, seconds: (performance.now() - begun) / 1000, output };
}

function runCommand(
  { program, args, folder }: Command,
  stop: AbortSignal,
): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], signal: stop });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', (error) => {
      resolve({ passed: false, output: `${program} cannot be started: ${error.message}\n` });
    });
    child.once('close', (code) => {
      resolve({ passed: code === 0, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}
