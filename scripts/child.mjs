/**
 * Runs a program in our place: it has our terminal, gets the signals that we get, and its end is our end.
 *
 * On a terminal, Ctrl-C already reaches the whole foreground group, so it is not passed on a second time: many programs take a second one
 * as "stop without tidying up".
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs `command` and resolves to its exit code; a signal counts as 128 + its number, as in a shell.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{environment?: NodeJS.ProcessEnv, cwd: string}} surroundings
 * @returns {Promise<number>}
 */
export function runInOurPlace(command, args, { environment = process.env, cwd }) {
  const child = spawn(command, args, { cwd, env: environment, stdio: 'inherit' });
  const handlers = passedOn.map((signal) => {
    const handler = () => {
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    };
    process.on(signal, handler);
    return [signal, handler];
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const [name, handler] of handlers) process.off(name, handler);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}
