/**
 * Where cluster tests run: Jest's environment for Node, with the KUBECONFIG of the cluster that this process has for itself. A file fails
 * that leaves on it what the next one would meet.
 *
 * KUBECONFIG is set before the environment copies the process's: what tests start has it too. What is left on a foreign cluster is not
 * looked for: others change it too.
 */
import { TestEnvironment } from 'jest-environment-node';
import { eventually } from '../support/eventually.ts';
import { changesBetween, snapshotOfCluster } from './cluster-snapshot.ts';
import { readTestCluster } from './test-bed.ts';

/** The kubeconfigs as JSON, one for each process that runs tests; where it is not set, KUBECONFIG is as it is. */
export const clustersVariable = 'TEMPER_TEST_CLUSTERS';

/** What was deleted may take so long to go. */
const goneSeconds = 30;

// eslint-disable-next-line no-restricted-syntax -- Jest takes an environment by its default export
export default class ClusterEnvironment extends TestEnvironment {
  constructor(config, context) {
    const kubeconfigs = JSON.parse(process.env[clustersVariable] ?? 'null');
    if (kubeconfigs !== null) process.env['KUBECONFIG'] = ofThisProcess(kubeconfigs);
    super(config, context);
    this.places = process.env['KUBECONFIG'] ? readTestCluster().own : null;
  }

  async setup() {
    await super.setup();
    const { places } = this;
    if (places !== null) this.before = await eventually('the cluster is seen', goneSeconds, () => seen(places));
  }

  async handleTestEvent({ name }, state) {
    if (name !== 'run_finish' || this.places === null) return;
    const left = await leftOn(this.places, this.before);
    if (left !== null) state.unhandledErrors.push(new Error(left));
  }
}

/** Null where its API server does not answer now. */
async function seen(places) {
  return await snapshotOfCluster(places).catch(() => null);
}

/** Null where the cluster is as it was. */
async function leftOn(places, before) {
  let why = '';
  const isAsBefore = async () => {
    try {
      const changes = changesBetween(before, await snapshotOfCluster(places));
      why = ['these tests leave their cluster other than they found it:', ...changes].join('\n  ');
      return changes.length === 0;
    } catch (error) {
      why = `whether these tests left something on their cluster cannot be seen: ${error.message}`;
      return false;
    }
  };
  return await eventually('the cluster is as it was', goneSeconds, isAsBefore).then(
    () => null,
    () => why,
  );
}

function ofThisProcess(kubeconfigs) {
  const number = Number(process.env['JEST_WORKER_ID'] ?? 1);
  const kubeconfig = kubeconfigs[number - 1];
  if (kubeconfig === undefined) throw new Error(`there is no cluster for process ${String(number)} of this run`);
  return kubeconfig;
}
