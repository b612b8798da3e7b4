/**
 * `npm run test:cluster [-- pattern …]`: the tests against a real Kubernetes cluster. Brings one up, runs them, takes it down whatever
 * happens. With KUBECONFIG set, that cluster is used in its place (TEMPER_TRAINER_IMAGE names the trainers' image there).
 *
 * Exit code 69: nothing was run, because this machine lacks what a cluster needs; the last lines say what.
 */
import { runJest } from '../../scripts/jest.ts';
import { SetupProblem } from '../../scripts/setup/problem.mjs';
import { Interruption } from './life/interruption.ts';
import { withOwnCluster } from './life/own-cluster.ts';

const testSeconds = 180;
const patterns = process.argv.slice(2);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

process.exitCode = await (process.env['KUBECONFIG'] ? runTests(process.env) : runOnOwnCluster());

function runTests(environment: NodeJS.ProcessEnv): Promise<number> {
  return runJest({ project: 'cluster', testSeconds, options: ['--runInBand'], patterns, environment });
}

async function runOnOwnCluster(): Promise<number> {
  try {
    return await withOwnCluster({ say }, ({ places: { kubeconfig } }) =>
      runTests({ ...process.env, KUBECONFIG: kubeconfig }),
    );
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
