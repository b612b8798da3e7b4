/** `npm run build`: bundles the workflows ahead, so that workers start sooner. Says where the bundle lies. */
import { readPlaces } from '../workers/settings.ts';
import { currentWorkflows, installRuntime } from '../workers/temper-worker.ts';

installRuntime((line) => process.stderr.write(`${line}\n`));
const begun = performance.now();
const bundle = await currentWorkflows(readPlaces(process.env));
if (!('codePath' in bundle)) {
  console.error(
    'The bundle of the workflows cannot be kept: its folder is not writable, or the sources changed meanwhile.',
  );
  process.exit(73);
}
console.error(`The workflows are bundled (${((performance.now() - begun) / 1000).toFixed(1)} s): ${bundle.codePath}`);
