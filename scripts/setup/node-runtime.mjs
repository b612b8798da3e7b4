/**
 * Step: a Node that runs .ts files and the Kubernetes client (22.19 or newer).
 *
 * The npm package `node` brings one along; where its install script was not allowed to run, its platform package is fetched alone.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { probe, runLogged } from './commands.mjs';
import { exitCodes, SetupProblem } from './problem.mjs';
import { readJson } from './record.mjs';
import { isAtLeast, readVersion } from './versions.mjs';

const least = [22, 19, 0];

export const nodeRuntime = {
  name: 'Node',
  contents: '22.19 or newer',
  downloadBytes: 0,
  diskBytes: 0,
  folder: (places) => places.tools,

  /** The path of a Node that is new enough. Tried only when it is not the one that was tried before. */
  find(context) {
    const candidates = [
      join(context.places.nodeModules, 'node', 'bin', 'node'),
      fetchedNode(context.places),
      process.execPath,
    ];
    return candidates.find((path) => context.wasTried('node', path) || isNewEnough(path));
  },

  async make(context) {
    const { places } = context;
    const version = readJson(places.packageLock).packages['node_modules/node'].version;
    mkdirSync(join(places.tools, 'node'), { recursive: true });
    await runLogged(context, {
      name: 'npm install of Node',
      command: 'npm',
      args: [
        'install',
        '--prefix',
        join(places.tools, 'node'),
        '--no-audit',
        '--no-fund',
        `${platformPackage()}@${version}`,
      ],
      fix: 'install Node 22.19 or newer, then run this again.',
    });
    const path = fetchedNode(places);
    if (isNewEnough(path)) return realpathSync(path);
    throw new SetupProblem(`Node ${version} from npm does not run here.`, {
      fix: 'install Node 22.19 or newer, then run this again.',
      exitCode: exitCodes.configuration,
    });
  },
};

function platformPackage() {
  return `node-${process.platform}-${process.arch}`;
}

function fetchedNode(places) {
  return join(places.tools, 'node', 'node_modules', platformPackage(), 'bin', 'node');
}

function isNewEnough(path) {
  const version = readVersion(probe(path, ['--version']));
  return version !== undefined && isAtLeast(version, least);
}
