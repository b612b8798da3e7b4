/**
 * Wakes whoever waits for a job: one watch on the registry's folder, and one coarse sweep for what no event tells of (a supervisor
 * that was killed). Never a poll per job; nothing runs while nobody waits.
 */
import { type FolderWatch, watchFolder } from './folder-watch.ts';
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
  #watcher: FolderWatch | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sweeps = 0;
  #sweeping = false;

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
    this.#timer = null;
    this.#sweeping = true;
    this.#sweeps += 1;
    if (this.#watcher?.hears !== true || this.#sweeps % sweepsPerFullLook === 0) this.#wakeAll();
    else await Promise.all([...this.#waiting].map(noticeDeath));
    this.#sweeping = false;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== null || this.#sweeping || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => void this.#sweep(), this.#sweepSeconds * 1000);
  }

  #listen(): void {
    this.#watcher ??= watchFolder(this.#registry.folder, (file) => {
      const name = file === null ? null : this.#registry.nameOf(file);
      if (file === null) this.#wakeAll();
      else if (name !== null) this.wake(name);
    });
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

async function noticeDeath(one: Waiting): Promise<void> {
  if (one.lifeline === null) return;
  try {
    if (await isAlive(one.lifeline)) return;
  } catch {
    // whoever waits looks for itself, and meets the error where it can be told
  }
  notice(one);
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
