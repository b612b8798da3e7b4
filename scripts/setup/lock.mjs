/**
 * One set-up (or other work that `context.what` names) at a time in a folder. A second one waits. The lock of a killed set-up is taken over, and what that set-up had
 * started (an npm or a uv that is still writing) is ended first.
 *
 * Not covered: two machines on one shared cache folder; the lock names its host, and a person removes it.
 */
import { readFileSync, renameSync, rmSync, linkSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, signalGroup, startTimeOf } from './processes.mjs';
import { readJson } from './record.mjs';

const lookEveryMilliseconds = 250;
const unreadableIsStaleAfterMilliseconds = 5_000;

/**
 * Runs `work` while nobody else sets up in the same cache folder.
 *
 * @template T
 * @param {object} context
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function alone(context, work) {
  const text = JSON.stringify({ pid: process.pid, started: startTimeOf(process.pid), host: hostname() });
  await acquire(context, text);
  context.release = () => releaseOwn(context.places.lock, text);
  try {
    return await work();
  } finally {
    context.release();
  }
}

async function acquire(context, text) {
  const { what = 'set-up' } = context;
  const { lock } = context.places;
  let said = false;
  while (!tryCreate(lock, text)) {
    const holder = look(lock);
    if (holder.state === 'stale') {
      takeAway(lock, holder.text);
      continue;
    }
    if (!said && holder.state === 'held') {
      context.say(
        `Another ${what} is at work (process ${holder.pid}${holder.elsewhere}): waiting for it. Its lock is ${lock}`,
      );
      said = true;
    }
    await pause(lookEveryMilliseconds);
  }
  await endLeftovers(context);
}

function tryCreate(lock, text) {
  try {
    writeFileSync(lock, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Who holds the lock: `gone`, `held` or `stale`. */
function look(lock) {
  const written = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (written === undefined) return { state: 'gone' };
  const holder = readJson(lock);
  if (holder === undefined) {
    const old = Date.now() - written > unreadableIsStaleAfterMilliseconds;
    return old ? { state: 'stale', text: undefined } : { state: 'gone' };
  }
  const elsewhere = holder.host === hostname() ? '' : ` on ${holder.host}`;
  if (elsewhere !== '' || isAlive(holder)) return { state: 'held', pid: holder.pid, elsewhere };
  return { state: 'stale', text: JSON.stringify(holder) };
}

/** Two who wait may both see the same stale lock: only who moves that very lock away has it; a newer one is put back. */
function takeAway(lock, staleText) {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  const tookNewer = staleText !== undefined && readFileSync(aside, 'utf8') !== staleText;
  if (tookNewer) linkSync(aside, lock);
  rmSync(aside);
}

async function endLeftovers(context) {
  const child = readJson(context.places.child);
  if (child === undefined || !isAlive(child)) return;
  context.say(`An earlier ${context.what ?? 'set-up'} was killed and left process ${child.pid} at work: ending it.`);
  signalGroup(child.pid, 'SIGKILL');
  while (isAlive(child)) await pause(50);
}

function releaseOwn(lock, text) {
  if (statSync(lock, { throwIfNoEntry: false }) && readFileSync(lock, 'utf8') === text) rmSync(lock, { force: true });
}
