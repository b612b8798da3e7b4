/**
 * `npm run bench -- chaos [--kills 50] [--seed N] [--workers 1] [--pace 1.5] [--json]`: kills at random points, and what they did.
 *
 * A server, a worker and pipelines of seconds-long phases on this machine; every count comes from what trainers told the witness, and
 * from the process table. Ends with a table; exits with 1 when a count that must be 0 is not. Does not cover real training.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killProcessesOf } from '../scripts/processes-of-store.ts';
import { type ChaosReport, runChaos } from './chaos/run-chaos.ts';
import { chaosTable, failuresOf } from './chaos/table.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    pace: { type: 'string', default: '1.5' },
    workers: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const [kills, seed, paceSeconds, workers] = [
  numberOf('kills'),
  numberOf('seed'),
  numberOf('pace'),
  numberOf('workers'),
];
const folder = await mkdtemp(join(tmpdir(), 'temper-chaos-'));
const say = (line: string) => process.stderr.write(`${line}\n`);
process.once('SIGINT', () => {
  void killProcessesOf(folder).finally(() => process.exit(130));
});
say(`seed ${String(seed)}; everything lies in ${folder}`);

const report = await runChaos({ kills, seed, folder, say, paceSeconds, workers });
const failures = failuresOf(report);
console.log(values.json ? JSON.stringify(asJson(report)) : chaosTable(report, seed));
for (const failure of failures) say(failure);
if (failures.length === 0) await rm(folder, { recursive: true, force: true });
else say(`what happened lies in ${folder}`);
process.exitCode = failures.length === 0 ? 0 : 1;

function numberOf(name: 'kills' | 'seed' | 'pace' | 'workers'): number {
  const number = Number(values[name]);
  if (Number.isFinite(number) && number >= 0) return number;
  say(`--${name} is "${values[name]}", and must be a number`);
  process.exit(64);
}

function asJson({ kills: done, twins, orphans, lostFinishedPhases, redoneSteps, goodput }: ChaosReport) {
  return { kills: done.length, twins, orphans, lostFinishedPhases, redoneSteps, goodput };
}
