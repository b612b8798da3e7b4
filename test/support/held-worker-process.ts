/**
 * A worker whose writes to the store and the ledger can be held, for the test that kills it there.
 *
 * TEMPER_TEST_HOLDS names a JSON file `{pipeline: point}`: what a pipeline does at its point never comes to pass. Every point that is
 * passed, and every one that holds, is a line of the file that TEMPER_TEST_POINTS names: `passed|held <pipeline> <point>`.
 */
import fs, { appendFileSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Context } from '@temporalio/activity';
import type { Ledger } from '../../store/ledger/ledger.ts';
import { runWorker } from './run-worker.ts';

const { TEMPER_TEST_HOLDS: holdsFile = '', TEMPER_TEST_POINTS: pointsFile = '' } = process.env;
const holds = JSON.parse(readFileSync(holdsFile, 'utf8')) as Readonly<Record<string, string>>;
const times = new Map<string, number>();

/** The activities whose every step is a point. */
const watched = ['openAttempt', 'submitJob', 'awaitJob', 'stopJob', 'judgeAttempt'];

/** Resolves when the pipeline may go on: never, where it is held. */
async function pass(what: string): Promise<void> {
  const activity = currentActivity();
  if (activity === null || !watched.includes(activity.info.activityType)) return;
  const pipeline = activity.info.workflowExecution?.workflowId.split('/')[0] ?? '';
  const name = `${activity.info.activityType}: ${what}`;
  const key = `${pipeline} ${name}`;
  times.set(key, (times.get(key) ?? 0) + 1);
  const point = `${name} #${String(times.get(key))}`;
  const isHeld = holds[pipeline] === point;
  appendFileSync(pointsFile, `${isHeld ? 'held' : 'passed'} ${pipeline} ${point}\n`);
  if (isHeld) await new Promise(() => undefined);
}

function currentActivity(): Context | null {
  try {
    return Context.current();
  } catch {
    return null; // not in an activity
  }
}

type AnyFunction = (...input: unknown[]) => Promise<unknown>;

function holdStoreWrites(): void {
  const files = fs.promises as unknown as Record<string, AnyFunction>;
  for (const name of ['mkdir', 'writeFile', 'rename', 'link', 'unlink', 'lchown', 'rm', 'open']) {
    const original = files[name];
    if (original === undefined) continue;
    files[name] = async (...input) => {
      const writes = name !== 'open' || /[wa+]/.test(JSON.stringify(input[1] ?? 'r'));
      if (writes && typeof input[0] === 'string') await pass(`${name} ${nameOf(input[0])}`);
      return await original(...input);
    };
  }
  syncBuiltinESMExports();
}

/** The same for every pipeline: without numbers and what is drawn by chance. */
function nameOf(path: string): string {
  const [file = ''] = path.split('/').slice(-1);
  return file.replaceAll(/[0-9a-f]{8,}[-0-9a-f]*/g, '*').replaceAll(/\d+/g, 'N');
}

function heldLedger(ledger: Ledger): Ledger {
  return new Proxy(ledger, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || /Of$/.test(String(name))) return method; // those only read
      return async (...input: unknown[]) => {
        const { state } = (input.find((each) => (each as { state?: unknown } | null)?.state !== undefined) ?? {}) as {
          state?: string;
        };
        await pass(`ledger ${String(name)}${state === undefined ? '' : ` ${state}`}`);
        return await (method as AnyFunction).apply(target, input);
      };
    },
  });
}

holdStoreWrites();
await runWorker((dependencies) => ({ ...dependencies, ledger: heldLedger(dependencies.ledger) }));
