/**
 * `npm run check [part …]`: format, lint, types, import rules, dead code, house rules, Python. Two parts at a time; all of them run,
 * whatever fails; the last lines name those that failed.
 */
import { listParts } from './check/parts.ts';
import type { Outcome } from './check/run-part.ts';
import { runPart } from './check/run-part.ts';
import { readPython } from './python.ts';
import { repository } from './repository.ts';

const atOnce = 2;

const parts = listParts(repository, readPython());
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`Unknown part ${unknown.join(', ')}. There are: ${parts.map((part) => part.name).join(', ')}.`);
  process.exit(64);
}

const waiting = wanted.length === 0 ? [...parts] : parts.filter((part) => wanted.includes(part.name));
const outcomes: Outcome[] = [];
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    waiting.length = 0;
    stop.abort();
  });
}

async function work(): Promise<void> {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    const outcome = await runPart(part, stop.signal);
    outcomes.push(outcome);
    console.log(`${outcome.passed ? 'ok  ' : 'FAIL'} ${outcome.part.padEnd(8)} ${outcome.seconds.toFixed(1)} s`);
    if (!outcome.passed) console.log(outcome.output.trimEnd().replace(/^/gm, '     '));
  }
}

await Promise.all(Array.from({ length: atOnce }, work));

const failed = outcomes.filter((outcome) => !outcome.passed).map((outcome) => outcome.part);
console.log(failed.length === 0 ? 'check: all parts passed' : `check: failed in ${failed.sort().join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
