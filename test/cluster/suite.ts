/**
 * `npm run test:cluster [-- pattern …]`: the tests against a real Kubernetes cluster. Brings one up, runs them, takes it down whatever
 * happens. With KUBECONFIG set, that cluster is used in its place (TEMPER_TRAINER_IMAGE names the trainers' image there).
 *
 * Exit code 69: nothing was run, because this machine lacks what a cluster needs; the last lines say what.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runJest } from '../../scripts/jest.ts';
import { readPython } from '../../scripts/python.ts';
import { SetupProblem } from '../../scripts/setup/problem.mjs';
import { bringUp } from './life/bring-up.ts';
import { Interruption, stopOnSignals } from './life/interruption.ts';
import { markOfProcess } from './life/state.ts';
import { buildContext } from './machine/binaries.ts';

const testSeconds = 180;
const patterns = process.argv.slice(2);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

process.exitCode = await (process.env['KUBECONFIG'] ? runTests(process.env) : runOnOwnCluster());

function runTests(environment: NodeJS.ProcessEnv): Promise<number> {
  return runJest({ project: 'cluster', testSeconds, options: ['--runInBand'], patterns, environment });
}

async function runOnOwnCluster(): Promise<number> {
  const self = markOfProcess(process.pid);
  if (self === undefined) throw new Error('this process cannot be found in /proc');
  const context = buildContext(process.env, say);
  const stop = stopOnSignals(context);
  const guardian = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, 'life', 'guardian-process.ts'),
      String(self.pid),
      self.started,
    ],
    { detached: true, stdio: ['pipe', 'ignore', 'inherit'] },
  );
  await once(guardian, 'spawn');
  try {
    const places = await bringUp({ context, python: readPython(), owner: self, self, stop });
    return await runTests({ ...process.env, KUBECONFIG: places.kubeconfig });
  } catch (error) {
    return exitCodeOf(stop.aborted ? stop.reason : error);
  } finally {
    guardian.stdin.end();
    await once(guardian, 'exit');
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Interruption) return error.exitCode;
  if (!(error instanceof SetupProblem)) throw error;
  say(error.toText().replace('Set-up', 'test:cluster'));
  return error.exitCode;
}
