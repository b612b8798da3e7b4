/**
 * Where cluster tests run: Jest's environment for Node, with the KUBECONFIG of the cluster that this process has for itself.
 *
 * Set before the environment copies the process's: what tests start has it too.
 */
import { TestEnvironment } from 'jest-environment-node';

/** The kubeconfigs as JSON, one for each process that runs tests; where it is not set, KUBECONFIG is as it is. */
export const clustersVariable = 'TEMPER_TEST_CLUSTERS';

// eslint-disable-next-line no-restricted-syntax -- Jest takes an environment by its default export
export default class ClusterEnvironment extends TestEnvironment {
  constructor(config, context) {
    const kubeconfigs = JSON.parse(process.env[clustersVariable] ?? 'null');
    if (kubeconfigs !== null) process.env['KUBECONFIG'] = ofThisProcess(kubeconfigs);
    super(config, context);
  }
}

function ofThisProcess(kubeconfigs) {
  const number = Number(process.env['JEST_WORKER_ID'] ?? 1);
  const kubeconfig = kubeconfigs[number - 1];
  if (kubeconfig === undefined) throw new Error(`there is no cluster for process ${String(number)} of this run`);
  return kubeconfig;
}
