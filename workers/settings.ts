/**
 * What a Temper process needs to know of its machine, parsed once from the environment into a frozen value.
 *
 * Covers addresses, folders and programs. Does not cover what is trained (recipes) or where jobs run (profiles).
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { TemperError } from '../decisions/errors.ts';
import { defaultTaskQueue } from '../workflows/contract.ts';
import { usualHeartbeatSeconds } from './heartbeat.ts';

export interface Settings extends Places, Programs {}

/** What set-up has put in place for work on this machine: jobs of a cluster need none of it. */
export interface Programs {
  readonly temporalCli: string;
  /** The Python that has the trainers' packages. */
  readonly python: string;
}

/** The page of a workflow in the Web UI, or of one of its runs: `names` are its id and the run's. */
export function pageOfRun({ uiUrl }: Pick<Places, 'uiUrl'>, namespace: string, names: readonly string[]): string {
  return `${uiUrl}/${['namespaces', namespace, 'workflows', ...names].map(encodeURIComponent).join('/')}`;
}

/** Addresses and folders: what is known without set-up. */
export interface Places {
  /** The checkout, or the folder that the package is installed in. */
  readonly home: string;
  /** What set-up and builds have made, and can make anew. */
  readonly cacheDirectory: string;
  /** Run directories, the ledger and the embedded server's database lie below it. */
  readonly storeDirectory: string;
  readonly recipesDirectory: string;
  readonly profilesDirectory: string;
  readonly schedulesDirectory: string;
  /** Address of the Temporal server, and of the embedded one. */
  readonly port: number;
  readonly uiPort: number;
  /** Where people reach the Web UI; without a slash at its end. */
  readonly uiUrl: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** How often a watched job tells Temporal that it is watched, at most. */
  readonly heartbeatSeconds: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const setUpSchema = z.object({ temporalCli: z.string(), python: z.string() });

/** What `readPlaces` reads, and the programs that set-up has put in place. Throws `environment-unusable`. */
export function readSettings(environment: Environment): Settings {
  const places = readPlaces(environment);
  return Object.freeze({ ...places, ...readPrograms(environment, places) });
}

/**
 * Reads `TEMPER_CACHE`, `TEMPER_STORE`, `TEMPER_RECIPES`, `TEMPER_PROFILES`, `TEMPER_SCHEDULES`, `TEMPER_PORT`, `TEMPER_UI_PORT`,
 * `TEMPER_UI_URL`, `TEMPER_TASK_QUEUE`.
 */
export function readPlaces(environment: Environment): Places {
  const home = fileURLToPath(new URL('..', import.meta.url));
  const uiPort = portOf(environment, 'TEMPER_UI_PORT', 8233);
  return Object.freeze({
    home,
    cacheDirectory: resolve(environment['TEMPER_CACHE'] || join(home, '.temper')),
    storeDirectory: resolve(environment['TEMPER_STORE'] ?? join(home, '.temper', 'store')),
    recipesDirectory: resolve(environment['TEMPER_RECIPES'] ?? join(home, 'configs', 'recipes')),
    profilesDirectory: resolve(environment['TEMPER_PROFILES'] ?? join(home, 'configs', 'profiles')),
    schedulesDirectory: resolve(environment['TEMPER_SCHEDULES'] ?? join(home, 'configs', 'schedules')),
    port: portOf(environment, 'TEMPER_PORT', 7233),
    uiPort,
    uiUrl: (environment['TEMPER_UI_URL'] ?? `http://127.0.0.1:${String(uiPort)}`).replace(/\/+$/, ''),
    namespace: 'default',
    taskQueue: environment['TEMPER_TASK_QUEUE'] ?? defaultTaskQueue,
    heartbeatSeconds: usualHeartbeatSeconds,
  });
}

/** `TEMPORAL_CLI` and `TEMPER_PYTHON`, else what set-up has written. Throws `environment-unusable`. */
export function readPrograms(environment: Environment, { cacheDirectory }: Pick<Places, 'cacheDirectory'>): Programs {
  const { TEMPORAL_CLI: temporalCli, TEMPER_PYTHON: python } = environment;
  if (temporalCli && python) return { temporalCli, python };
  const file = join(cacheDirectory, 'setup.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TemperError(
      'environment-unusable',
      `nothing is set up here (${file} is missing): run \`npm run setup\``,
      { cause },
    );
  }
  const found = setUpSchema.safeParse(asJson(text));
  if (!found.success)
    throw new TemperError('environment-unusable', `${file} is of another version: run \`npm run setup\``);
  return { temporalCli: temporalCli ?? found.data.temporalCli, python: python ?? found.data.python };
}

/** Null for a text that is none: a set-up that was interrupted while it wrote. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function portOf(environment: Environment, variable: string, fallback: number): number {
  const text = environment[variable];
  if (text === undefined || text === '') return fallback;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new TemperError('environment-unusable', `${variable} is "${text}", and must be a port from 1 to 65535`);
}
