/**
 * Runs other programs for set-up: `probe` for a short question, `runLogged` for long work whose output goes to a log file.
 *
 * Long work runs in its own process group, and the group is written down: when set-up itself is killed, the next one ends what was left
 * before it touches the same folders.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { exitCodes, SetupProblem } from './problem.mjs';
import { fingerprintOf } from './record.mjs';
import { startTimeOf } from './processes.mjs';

const probeSeconds = 30;
const aliveEverySeconds = 15;

/** Standard output of a short command, or undefined when it cannot be started or fails. */
export function probe(command, args, environment = process.env) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    env: environment,
    timeout: probeSeconds * 1000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** Full paths of the programs called `name` on PATH, in its order. */
export function onPath(name, environment) {
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).filter((path) => fingerprintOf(path) !== undefined);
}

/**
 * Runs `command` to its end, output in `<logs>/<name>.log`.
 *
 * @param context set-up's context; `context.child` is the group at work, for the signal handlers
 * @param {{name: string, command: string, args: string[], environment?: object, fix: string}} work
 * @throws SetupProblem with the last lines of the log
 */
export async function runLogged(context, work) {
  const { places } = context;
  mkdirSync(places.logs, { recursive: true });
  const log = join(places.logs, `${work.name.replaceAll(' ', '-')}.log`);
  const output = openSync(log, 'w');
  const started = Date.now();
  const ticker = setInterval(() => {
    context.say(`    … at work for ${Math.round((Date.now() - started) / 1000)} s`);
  }, aliveEverySeconds * 1000);
  try {
    const ended = await runGroup(context, work, output);
    if (ended !== undefined) throw failed(work, ended, log);
  } finally {
    clearInterval(ticker);
    closeSync(output);
    rmSync(places.child, { force: true });
    context.child = undefined;
  }
}

/** Undefined when the program ended well, else how it ended. */
function runGroup(context, work, output) {
  return new Promise((resolve) => {
    const child = spawn(work.command, work.args, {
      cwd: context.places.repository,
      env: { ...context.environment, ...work.environment },
      stdio: ['ignore', output, output],
      detached: true,
    });
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
    if (child.pid === undefined) return;
    context.child = child.pid;
    writeFileSync(context.places.child, JSON.stringify({ pid: child.pid, started: startTimeOf(child.pid) }));
  });
}

function failed(work, ended, log) {
  return new SetupProblem(`${work.name} failed (${ended}).`, {
    fix: `${work.fix} All of its output: ${log}`,
    exitCode: exitCodes.unavailable,
    details: shorten(readFileSync(log, 'utf8')),
  });
}

/** Programs say what is wrong in their first lines or in their last ones. */
function shorten(text) {
  const lines = text.trimEnd().split('\n');
  return (lines.length <= 9 ? lines : [...lines.slice(0, 4), '…', ...lines.slice(-4)]).join('\n');
}
