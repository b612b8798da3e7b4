/**
 * The process that supervises one job. Reads its order (JSON) from standard input and lives as long as the job, whatever becomes of
 * the worker that started it. Exit code 3: another supervisor has the job.
 */
import { text } from 'node:stream/consumers';
import { type Order, supervise } from './supervise.ts';

const order = JSON.parse(await text(process.stdin)) as Order;
process.exit((await supervise(order)) ? 0 : 3);
