/**
 * `npm run test:cluster [-- pattern …]`: the tests against a real Kubernetes cluster. Brings one up, runs them, takes it down whatever
 * happens; two for the whole suite, each with the files that it comes to: a test has its cluster for itself. With KUBECONFIG set, that
 * cluster is used in their place (TEMPER_TRAINER_IMAGE names the trainers' image there).
 *
 * Exit code 69: nothing was run, because this machine lacks what a cluster needs; the last lines say what.
 */
import { runJest } from '../../scripts/jest.ts';
import { SetupProblem } from '../../scripts/setup/problem.mjs';
import { clustersVariable } from './cluster-environment.mjs';
import { Interruption } from './life/interruption.ts';
import { withOwnClusters } from './life/own-cluster.ts';

const testSeconds = 180;
const patterns = process.argv.slice(2);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

process.exitCode = await (process.env['KUBECONFIG'] ? runTests([process.env['KUBECONFIG']]) : runOnOwnClusters());

function runTests(kubeconfigs: readonly string[]): Promise<number> {
  const environment = { ...process.env, [clustersVariable]: JSON.stringify(kubeconfigs) };
  const options = [kubeconfigs.length === 1 ? '--runInBand' : `--maxWorkers=${String(kubeconfigs.length)}`];
  return runJest({ project: 'cluster', testSeconds, options, patterns, environment });
}

async function runOnOwnClusters(): Promise<number> {
  const count = patterns.length === 0 ? 2 : 1;
  try {
    return await withOwnClusters(count, { say }, ({ places }) => runTests(places.map(({ kubeconfig }) => kubeconfig)));
  } catch (error) {
    return exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Interruption) return error.exitCode;
  if (!(error instanceof SetupProblem)) throw error;
  say(error.toText().replace('Set-up', 'test:cluster'));
  return error.exitCode;
}
