/** One set-up at a time; the lock of a killed one is taken over. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { alone } from '../../scripts/setup/lock.mjs';
import { isAlive, startTimeOf } from '../../scripts/setup/processes.mjs';

let folder: string;
let said: string[];
let context: { places: { lock: string; child: string }; say: (line: string) => void; release: () => void };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-lock-'));
  said = [];
  context = {
    places: { lock: join(folder, 'setup.lock'), child: join(folder, 'setup.child') },
    say: (line) => said.push(line),
    release: () => undefined,
  };
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const heldBy = (pid: number, started: string | undefined): void => {
  writeFileSync(context.places.lock, JSON.stringify({ pid, started, host: hostname() }));
};

describe('the lock of set-up', () => {
  test('it is there during the work and gone after it, also when the work fails', async () => {
    const seen = await alone(context, () => Promise.resolve(existsSync(context.places.lock)));
    expect(seen).toBe(true);
    await expect(alone(context, () => Promise.reject(new Error('no network')))).rejects.toThrow('no network');
    expect(existsSync(context.places.lock)).toBe(false);
  });

  test('work at the same time runs one after the other', async () => {
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`${name} ends`);
    };
    await Promise.all([alone({ ...context }, work('a')), alone({ ...context }, work('b'))]);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(said).toEqual([expect.stringContaining('Another set-up is at work')]);
  });

  test.each([
    { what: 'of a process that is gone', pid: 2 ** 22 + 1, started: '1' },
    { what: 'of an earlier process with the same number', pid: process.pid, started: '1' },
  ])('a lock $what is taken over', async ({ pid, started }) => {
    heldBy(pid, started);
    expect(await alone(context, () => Promise.resolve(readFileSync(context.places.lock, 'utf8')))).toContain(
      String(startTimeOf(process.pid)),
    );
  });

  test('what a killed set-up left at work is ended before the folders are touched', async () => {
    const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    await once(left, 'spawn');
    const pid = left.pid ?? 0;
    const child = { pid, started: startTimeOf(pid) };
    writeFileSync(context.places.child, JSON.stringify(child));
    heldBy(2 ** 22 + 1, '1');
    const aliveDuringWork = await alone(context, () => Promise.resolve(isAlive(child)));
    expect(aliveDuringWork).toBe(false);
    expect(said).toEqual([expect.stringContaining(`left process ${String(pid)} at work`)]);
  });
});
