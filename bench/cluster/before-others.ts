/**
 * Puts processes before everything else that wants this machine's processors, so that what is measured is not who else is busy.
 *
 * Linux shares processors among sessions first (autogroup), and a daemon has a session of its own: a nice value alone changes nothing there.
 * Needs root. Does not cover a machine that is too small for what is measured.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const nice = -10;

/** This process, and whatever it starts from now on; where the kernel has autogroups, only its own session. */
export function goBeforeOthers(): void {
  setPriority(nice);
  putBeforeOthers([process.pid]);
}

/** The sessions of these processes. */
export function putBeforeOthers(pids: readonly number[]): void {
  for (const pid of pids) {
    const autogroup = `/proc/${String(pid)}/autogroup`;
    if (existsSync(autogroup)) writeFileSync(autogroup, String(nice));
  }
}
