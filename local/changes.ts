/**
 * Wakes whoever waits for a job: one watch on the registry's folder, and one coarse sweep for what no event tells of (a supervisor
 * that was killed). Never a poll per job; nothing runs while nobody waits.
 */
import { type FSWatcher, watch } from 'node:fs';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import type { Registry } from './registry.ts';

export interface Waiter {
  /** Resolves at the next change since the last call, when the lifeline dies, or when the signal comes. */
  next(lifeline: ProcessIdentity | null, signal: AbortSignal): Promise<void>;
  close(): void;
}

interface Waiting {
  readonly name: string;
  lifeline: ProcessIdentity | null;
  changed: boolean;
  wake: () => void;
}

/** Every so many sweeps all are woken, should a change have got lost. */
const sweepsPerFullLook = 10;

export class JobChanges {
  readonly #registry: Registry;
  readonly #sweepSeconds: number;
  readonly #waiting = new Set<Waiting>();
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sweeps = 0;

  constructor(registry: Registry, sweepSeconds: number) {
    this.#registry = registry;
    this.#sweepSeconds = sweepSeconds;
  }

  /** Call before looking, so that no change is missed between the look and the waiting. */
  waiter(name: string): Waiter {
    const one: Waiting = { name, lifeline: null, changed: false, wake: () => undefined };
    this.#waiting.add(one);
    this.#listen();
    this.#schedule();
    return {
      next: (lifeline, signal) => nextOf(one, lifeline, signal),
      close: () => {
        this.#waiting.delete(one);
        this.#restWhenIdle();
      },
    };
  }

  /** Something happened to this job. */
  wake(name: string): void {
    for (const one of this.#waiting) if (one.name === name) notice(one);
  }

  close(): void {
    this.#wakeAll();
    this.#waiting.clear();
    this.#restWhenIdle();
  }

  #wakeAll(): void {
    this.#waiting.forEach(notice);
  }

  async #sweep(): Promise<void> {
    this.#sweeps += 1;
    if (this.#watcher === null || this.#sweeps % sweepsPerFullLook === 0) this.#wakeAll();
    else {
      for (const one of [...this.#waiting]) {
        if (one.lifeline !== null && !(await isAlive(one.lifeline))) notice(one);
      }
    }
    this.#timer = null;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== null || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => void this.#sweep(), this.#sweepSeconds * 1000);
  }

  #listen(): void {
    if (this.#watcher !== null) return;
    const watcher = watch(this.#registry.folder, (_event, file) => {
      if (file === null) this.#wakeAll();
      else {
        const name = this.#registry.nameOf(file);
        if (name !== null) this.wake(name);
      }
    });
    watcher.on('error', () => {
      watcher.close();
      this.#watcher = null; // from now on each sweep wakes all
      this.#wakeAll();
    });
    this.#watcher = watcher;
  }

  #restWhenIdle(): void {
    if (this.#waiting.size > 0) return;
    this.#watcher?.close();
    this.#watcher = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function notice(one: Waiting): void {
  one.changed = true;
  one.wake();
}

async function nextOf(one: Waiting, lifeline: ProcessIdentity | null, signal: AbortSignal): Promise<void> {
  one.lifeline = lifeline;
  if (!one.changed && !signal.aborted) {
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      one.wake = wake;
      signal.addEventListener('abort', wake);
    });
  }
  one.changed = false;
}
