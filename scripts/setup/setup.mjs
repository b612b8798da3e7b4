/**
 * Set-up from nothing: looks at every step, does those that are missing, and writes down where things are.
 *
 * `setUp` is quick and writes nothing when all is in place. What is refused (Python too old, disk nearly full, a folder that cannot be
 * written) is refused before anything is fetched.
 */
import { signalGroup } from './processes.mjs';
import { alone } from './lock.mjs';
import { inGigabytes, makeWritable, refuseFullDisk } from './disk.mjs';
import { findPlaces } from './places.mjs';
import { findPython } from './python.mjs';
import { fingerprintOf, readJson, writeJson } from './record.mjs';
import { nodePackages } from './node-packages.mjs';
import { nodeRuntime } from './node-runtime.mjs';
import { pythonPackages } from './python-packages.mjs';
import { temporalCli } from './temporal-cli.mjs';

const steps = { nodePackages, node: nodeRuntime, temporalCli, python: pythonPackages };

/**
 * @param {{environment: object, say: (line: string) => void}} given
 * @returns {Promise<{node: string, temporalCli: string, python: string}>} absolute paths
 * @throws SetupProblem
 */
export async function setUp({ environment, say }) {
  const context = createContext(environment, say);
  const found = look(context);
  const missing = missingOf(found);
  if (missing.length === 0 && isRecorded(context, found)) return pathsOf(found);
  if (missing.length > 0) refuseEarly(context, missing);
  makeWritable(context.places.cache);
  if (missing.length > 0) announce(context, missing);
  return withSignals(context, () => alone(context, () => finish(context)));
}

function createContext(environment, say) {
  const places = findPlaces(environment);
  const record = readJson(places.record);
  let python;
  return {
    environment,
    say,
    places,
    child: undefined,
    release: () => {},
    python: () => (python ??= findPython(environment)),
    recordedPath: (name) => record?.[name],
    wasTried: (name, path) => record?.[name] === path && record.tried?.[name] === fingerprintOf(path),
  };
}

function look(context) {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step.find(context)]));
}

function missingOf(found) {
  return Object.keys(steps).filter((name) => found[name] === undefined);
}

/** What would only fail later, after a part was fetched. */
function refuseEarly(context, missing) {
  if (missing.includes('python') || missing.includes('temporalCli')) context.python();
  refuseFullDisk(missing.map((name) => ({ folder: steps[name].folder(context.places), bytes: steps[name].diskBytes })));
}

function announce(context, missing) {
  const sum = (field) => inGigabytes(missing.reduce((bytes, name) => bytes + steps[name][field], 0));
  const sizes = `up to ${sum('downloadBytes')} to download, ${sum('diskBytes')} on disk`;
  context.say(`Setting up in ${context.places.cache}: ${sizes}, once.`);
}

/** Under the lock: another set-up may have done part of it meanwhile, so every step is looked at again. */
async function finish(context) {
  const begun = Date.now();
  const found = {};
  for (const [name, step] of Object.entries(steps)) {
    found[name] = step.find(context) ?? (await makeStep(context, step));
  }
  const { node, temporalCli: cli } = found;
  const tried = { node: fingerprintOf(node), temporalCli: fingerprintOf(cli) };
  writeJson(context.places.record, { ...pathsOf(found), createdAt: new Date().toISOString(), tried });
  context.say(`Set-up is complete after ${secondsSince(begun)}.`);
  return pathsOf(found);
}

async function makeStep(context, step) {
  const begun = Date.now();
  const size =
    step.diskBytes > 0
      ? `: up to ${inGigabytes(step.downloadBytes)} to download, ${inGigabytes(step.diskBytes)} on disk`
      : '';
  context.say(`  ${step.name} (${step.contents})${size}`);
  const value = await step.make(context);
  context.say(`    done in ${secondsSince(begun)}`);
  return value;
}

function pathsOf({ node, temporalCli: cli, python }) {
  return { node, temporalCli: cli, python };
}

function isRecorded(context, found) {
  return Object.entries(pathsOf(found)).every(([name, path]) => context.recordedPath(name) === path);
}

function secondsSince(begun) {
  return `${((Date.now() - begun) / 1000).toFixed(1)} s`;
}

/** Ctrl-C and a plain kill end the program at work too, and give the lock back. */
async function withSignals(context, work) {
  const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
  const stop = (signal) => {
    // Half-finished steps are done anew, so nothing is lost by not waiting for npm to tidy up.
    if (context.child !== undefined) signalGroup(context.child, 'SIGKILL');
    context.release();
    context.say('Set-up was interrupted. Running it again goes on from here.');
    process.exit(codes[signal]);
  };
  for (const signal of Object.keys(codes)) process.on(signal, stop);
  try {
    return await work();
  } finally {
    for (const signal of Object.keys(codes)) process.off(signal, stop);
  }
}
