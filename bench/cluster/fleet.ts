/**
 * The trainers of pods in which nothing runs: one process that writes for all of them what trainers write (trainers/bench/stand_in/fleet.py).
 *
 * It ends when this process does, however that ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readPython } from '../../scripts/python.ts';
import { repository } from '../../scripts/repository.ts';

export interface Fleet {
  readonly pid: number;
  /** From now on the attempt of this request trains. `token` is its Job's uid. */
  begin(request: string, token: string): Promise<void>;
  /** Trains it to its end; resolves when its result is written. */
  finish(request: string): Promise<void>;
  close(): Promise<void>;
}

/** `stepSeconds`: between two steps of each, and so between two lines of its progress. */
export async function startFleet(stepSeconds: number): Promise<Fleet> {
  const trainers = join(repository, 'trainers');
  const program = join(trainers, 'bench', 'stand_in');
  const child = spawn(readPython(), [program, '--fleet', '--step-seconds', String(stepSeconds)], {
    env: { ...process.env, PYTHONPATH: trainers },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of asked.values()) reject(new Error('the stand-in trainers have ended'));
  });
  const asked = new Map<string, PromiseWithResolvers<null>>();
  createInterface({ input: child.stdout }).on('line', (path) => {
    asked.get(path)?.resolve(null);
    asked.delete(path);
  });
  await once(child, 'spawn');
  const ask = async (request: string, order: object) => {
    const answer = Promise.withResolvers<null>();
    asked.set(request, answer);
    child.stdin.write(`${JSON.stringify(order)}\n`);
    await answer.promise;
  };
  return {
    pid: child.pid ?? 0,
    begin: (request, token) => ask(request, { begin: request, token }),
    finish: (request) => ask(request, { finish: request }),
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}
