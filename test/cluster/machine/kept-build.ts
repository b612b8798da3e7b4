/**
 * What is built once and kept in the cache, in a folder that cache-key.ts names. It is made under another name and renamed when it is whole,
 * by one build at a time on a machine; a build that was killed is begun anew, and Go's own cache makes that quick.
 *
 * Covers Go modules and other commands. Does not cover what is built: binaries.ts for a cluster, bench/cluster/controllers.ts for a bench.
 * Folders of older keys are left: remove them by hand.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from '../../../scripts/setup/commands.mjs';
import { alone } from '../../../scripts/setup/lock.mjs';
import { SetupProblem } from '../../../scripts/setup/problem.mjs';
import { cacheKey } from './cache-key.ts';
import { findCache } from './places.ts';
import type { CachePlaces } from './places.ts';
import { run } from './programs.ts';

const goSettings = { GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' };
const softwareProblem = 70;

/** What a build works with: the places, the environment, and where to say what is going on. */
export interface BuildContext {
  readonly places: CachePlaces;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** What it is, in "Another … is at work". */
  readonly what: string;
  /** The process group at work, for who is asked to stop. */
  child?: number | undefined;
  /** Gives the lock back; set while it is held. */
  release: () => void;
}

export function buildContext(environment: NodeJS.ProcessEnv, say: (line: string) => void): BuildContext {
  return { places: findCache(environment), environment, say, what: 'build of a cluster', release: () => undefined };
}

export interface KeptBuild {
  /** A folder of Go modules: the text of their files is part of the key. */
  readonly modules: string;
  /** Whatever else decides what comes out. */
  readonly steps: readonly string[];
  /** What is said before, for a person who waits. */
  readonly announcement: string;
  /** Makes it in an empty folder. */
  make(folder: string): Promise<void>;
}

/** The folder with what was built, now or before. Rejects with a SetupProblem (exit code 70) that has the last lines of what failed. */
export async function ensureKept(context: BuildContext, build: KeptBuild): Promise<string> {
  const folder = join(context.places.cache, await keyOf(context, build));
  if (existsSync(folder)) return folder;
  mkdirSync(context.places.cache, { recursive: true });
  await alone(context, async () => {
    if (existsSync(folder)) return;
    const half = `${folder}.half`;
    rmSync(half, { recursive: true, force: true });
    mkdirSync(half, { recursive: true });
    context.say(`${build.announcement} (${folder})`);
    await build.make(half);
    renameSync(half, folder);
  });
  return folder;
}

async function keyOf({ environment }: BuildContext, { modules, steps }: KeptBuild): Promise<string> {
  const paths = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(mod|sum|go)$/.test(path),
  );
  return cacheKey({
    files: Object.fromEntries(paths.map((path) => [path, readFileSync(join(modules, path), 'utf8')])),
    goVersion: (await run('go', ['env', 'GOVERSION'], { environment: { ...environment, ...goSettings } })).trim(),
    architecture: process.arch,
    steps,
  });
}

export interface GoBuild {
  readonly module: string;
  /** A package of the module or of what it requires. */
  readonly target: string;
  /** Of the linker. */
  readonly flags: readonly string[];
}

/** Builds with the module in `source`, into `output`. */
export async function buildWithGo(
  context: BuildContext,
  { module, target, flags }: GoBuild,
  { source, output }: { readonly source: string; readonly output: string },
): Promise<void> {
  const begun = performance.now();
  const go = ['go', 'build', '-C', source, '-p', '2', '-trimpath'];
  await work(context, {
    name: `go build ${module}`,
    command: 'nice',
    args: ['-n', '19', ...go, '-ldflags', flags.join(' '), '-o', output, target],
    environment: goSettings,
    fix: 'check that the Go module proxy can be reached and that the disk has 6 GB free, then run this again.',
  });
  context.say(`  ${module} built in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}

export interface Work {
  readonly name: string;
  readonly command: string;
  readonly args: string[];
  readonly environment: object;
  readonly fix: string;
}

/** Runs one step of a build. A build that fails is no missing toolchain: it has another exit code. */
export async function work(context: BuildContext, one: Work): Promise<void> {
  try {
    await runLogged(context, one);
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    const { message, fix, details } = error as SetupProblem & { fix: string; details: string };
    throw new SetupProblem(message, { fix, details, exitCode: softwareProblem });
  }
}
