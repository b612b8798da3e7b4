/**
 * The real demo program as a child: its own store, ports and recipes in one temporary folder, and what it says, line by line.
 *
 * `close` ends what is left of it by id. Does not cover set-up: it starts where `npm run demo` has arrived after set-up.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../scripts/repository.ts';
import { readSettings } from '../../workers/settings.ts';
import { freePorts } from '../../scripts/free-ports.ts';
import { guardedFolder } from './guarded-folder.ts';
import { killIfThere } from '../../scripts/processes-of-store.ts';

export interface DemoPlace {
  readonly store: string;
  readonly port: number;
  /** Starts the program with these arguments, and with these variables changed; undefined takes one away. */
  start(environment?: Readonly<Record<string, string | undefined>>, args?: readonly string[]): DemoRun;
  close(): Promise<void>;
}

export interface DemoRun {
  /** Everything it has said on standard output and error so far. */
  readonly said: { readonly out: string; readonly error: string };
  /** Sends the signal to its whole process group, as a terminal does. */
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly error: string }>;
}

/** `recipe` is the text of its `tiny.yaml`. */
export async function demoPlace(recipe: string): Promise<DemoPlace> {
  const guarded = await guardedFolder('temper-demo-');
  const folder = guarded.path;
  const [store, recipes] = [join(folder, 'store'), join(folder, 'recipes')];
  await mkdir(recipes);
  await writeFile(join(recipes, 'tiny.yaml'), recipe);
  const [port, uiPort] = await freePorts();
  const { python, temporalCli } = readSettings(process.env);
  const runs: DemoRun[] = [];
  const environment = {
    ...process.env,
    TEMPER_STORE: store,
    TEMPER_RECIPES: recipes,
    TEMPER_PORT: String(port),
    TEMPER_UI_PORT: String(uiPort),
    TEMPER_PYTHON: python,
    TEMPORAL_CLI: temporalCli,
  };
  return {
    store,
    port,
    start(changes = {}, args = []) {
      const run = startDemo({ ...environment, ...changes }, args);
      runs.push(run);
      return run;
    },
    async close() {
      for (const run of runs) run.signal('SIGKILL');
      await Promise.all(runs.map(({ ended }) => ended));
      await guarded.close();
    },
  };
}

function startDemo(env: NodeJS.ProcessEnv, words: readonly string[]): DemoRun {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'workers/demo.ts', ...words], {
    cwd: repository,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', error: '' };
  child.stdout.on('data', (text: Buffer) => {
    said.out += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    said.error += text.toString();
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  return {
    said,
    signal(name) {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        killIfThere(-child.pid, name);
    },
    ended,
  };
}
