/** A worker as a process of its own, for tests that stop or kill one. */
import { runWorker } from './run-worker.ts';

await runWorker();
