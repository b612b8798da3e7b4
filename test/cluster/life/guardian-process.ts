/**
 * `guardian-process.ts <pid> <started>`: waits until its standard input ends, which it does when the process that started it is gone,
 * however it went. Then takes down the clusters of that process.
 */
import { takeDownOf } from './slots.ts';

const [pid = '', started = ''] = process.argv.slice(2);
// Ctrl-C and a plain kill are for those whom we watch.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.stdin.resume();
process.stdin.once('end', () => {
  void takeDownOf({ pid: Number(pid), started }, (line) => process.stderr.write(`${line}\n`));
});
