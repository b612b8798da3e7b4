/**
 * A reporter for Jest that ends the run: what a failed test left open would keep it alive for ever, and whoever waits for it.
 *
 * Names what is still open some seconds after the last test, ends the processes that the run started, and fails it. Does not cover the
 * processes that run tests beside each other: Jest ends those, and what they started stays.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers';

const patienceSeconds = 20;

// eslint-disable-next-line no-restricted-syntax -- Jest takes a reporter by its default export
export default class RunEnds {
  #seconds;

  /** @param {unknown} _config @param {{seconds?: number}} options `seconds`: how long what is open may take to close, 20 by default */
  constructor(_config, { seconds = patienceSeconds } = {}) {
    this.#seconds = seconds;
  }

  onRunComplete() {
    // It keeps nothing alive by itself: it comes only when something else does.
    setTimeout(() => end(this.#seconds), this.#seconds * 1000).unref();
  }
}

function end(seconds) {
  const children = childrenOf(process.pid);
  const left = [...process.getActiveResourcesInfo(), ...children.map(({ commandLine }) => commandLine)];
  console.error(
    `${String(seconds)} s after the last test these are still open, and the run is ended:\n  ${left.join('\n  ')}`,
  );
  for (const { pid } of children) signalIfThere(pid);
  process.exit(1);
}

function signalIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // it ended meanwhile
  }
}

/** Where there is no /proc, none is known. */
function childrenOf(parent) {
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.flatMap((pid) => {
    try {
      const [, ppid] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
      if (Number(ppid) !== parent) return [];
      return [
        { pid: Number(pid), commandLine: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() },
      ];
    } catch {
      return []; // it ended meanwhile
    }
  });
}
