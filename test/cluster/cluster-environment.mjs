/**
 * Where cluster tests run: Jest's environment for Node, with the KUBECONFIG of the cluster that this process has for itself.
 *
 * Set before the environment copies the process's: what tests start has it too.
 */
import { delimiter } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';

/** Names the kubeconfigs, one for each process that runs tests. */
export const clustersVariable = 'TEMPER_TEST_CLUSTERS';

// eslint-disable-next-line no-restricted-syntax -- Jest takes an environment by its default export
export default class ClusterEnvironment extends TestEnvironment {
  constructor(config, context) {
    const kubeconfigs = process.env[clustersVariable]?.split(delimiter) ?? [];
    const kubeconfig = kubeconfigs[Number(process.env['JEST_WORKER_ID'] ?? 1) - 1];
    if (kubeconfig !== undefined) process.env['KUBECONFIG'] = kubeconfig;
    super(config, context);
  }
}
