/** When a process counts as gone: not before its last thread is, which may hold its files, its port or its GPU's memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { identityOf, isAlive } from '../../local/process-identity.ts';
import { readPython } from '../../scripts/python.ts';
import { isAlive as isAliveForSetup, startTimeOf } from '../../scripts/setup/processes.mjs';
import { eventually } from '../support/eventually.ts';
import { testWhere } from '../support/test-where.ts';

/** Its first thread ends, as each does after a SIGKILL; another stays until the standard input ends. */
const firstThreadEnds = `
import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
ctypes.CDLL(None).pthread_exit(None)
`;

testWhere(process.platform === 'linux' ? null : 'ps tells nothing of threads')(
  'a process whose first thread has ended is alive until its last one has',
  async () => {
    const child = spawn(readPython(), ['-c', firstThreadEnds], { stdio: ['pipe', 'ignore', 'inherit'] });
    const exited = once(child, 'exit');
    const pid = child.pid ?? 0;
    const [identity, started] = [await identityOf(pid), startTimeOf(pid)];
    if (identity === null) throw new Error('it has not begun');
    const alive = async () => [await isAlive(identity), isAliveForSetup({ pid, started })];
    try {
      await eventually('its first thread has ended', 60, () => stateOf(pid) === 'Z');
      expect(await alive()).toEqual([true, true]);
    } finally {
      child.stdin.end();
      await exited;
    }
    expect(await alive()).toEqual([false, false]);
  },
);

function stateOf(pid: number): string | undefined {
  return readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .split(') ')
    .at(-1)
    ?.split(' ')[0];
}
