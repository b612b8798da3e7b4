/**
 * The one scanner of a worker: walks the run directories that somebody watches, since a shared filesystem tells nobody of a change.
 *
 * Tells each watcher the newest progress line and each checkpoint that became complete, once per watcher (a watcher that comes
 * later hears of those that were there before). Has no timer while nothing is watched. Does not cover jobs' states (the backend's
 * events) or what follows from progress (decisions/).
 */
import {
  type CheckpointOnStore,
  asCheckpoint,
  checkpointPaths,
  inspectCheckpoint,
  type InspectionCache,
} from './checkpoints.ts';
import type { Progress } from '../decisions/failure.ts';
import { ForeignScan } from './foreign/foreign-scan.ts';
import { tailProgress } from './progress.ts';
import { runFiles } from './run-directory.ts';

export interface ScanListener {
  /** The newest line, when there are new ones. */
  progress(progress: Progress): void;
  /** A checkpoint that is complete. */
  checkpoint(checkpoint: CheckpointOnStore): void;
  /** The directory could not be read this time; it is tried again. */
  trouble?(error: unknown): void;
}

export interface ScanSnapshot {
  readonly progress: Progress | null;
  readonly badLines: number;
  /** Complete ones, by step. */
  readonly checkpoints: readonly CheckpointOnStore[];
}

export interface Scanner {
  /** Begins with a scan at once. Returns what ends the watching. */
  watch(directory: string, listener: ScanListener): () => void;
  /** Looks now, and tells the watchers what is new. */
  scanNow(directory: string): Promise<ScanSnapshot>;
  /** Ends all watching. */
  close(): void;
}

/** Timers as the scanner needs them. */
export interface ScannerClock {
  /** Calls back once after the time; returns what cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

export interface ScannerOptions {
  /** Pause between two walks, in seconds. @default 10 */
  readonly everySeconds?: number;
  /** @default the system's timers */
  readonly clock?: ScannerClock;
}

const systemClock: ScannerClock = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Directories walked at the same time. */
const breadth = 8;

export function createScanner({ everySeconds = 10, clock = systemClock }: ScannerOptions = {}): Scanner {
  const watched = new Map<string, WatchedDirectory>();
  let cancelTimer: (() => void) | null = null;
  let walking = false;

  async function walk(): Promise<void> {
    walking = true;
    const queue = [...watched.values()];
    const walker = async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) await next.scan();
    };
    await Promise.all(Array.from({ length: breadth }, walker));
    walking = false;
    schedule();
  }

  function schedule(): void {
    if (watched.size === 0 || walking || cancelTimer !== null) return;
    cancelTimer = clock.after(everySeconds * 1000, () => {
      cancelTimer = null;
      void walk();
    });
  }

  function stopTimerWhenIdle(): void {
    if (watched.size > 0) return;
    cancelTimer?.();
    cancelTimer = null;
  }

  return {
    watch(directory, listener) {
      const state = watched.get(directory) ?? new WatchedDirectory(directory);
      watched.set(directory, state);
      const remove = state.add(listener);
      void state.scan();
      schedule();
      return () => {
        remove();
        if (state.idle && watched.get(directory) === state) watched.delete(directory);
        stopTimerWhenIdle();
      };
    },
    async scanNow(directory) {
      const state = watched.get(directory) ?? new WatchedDirectory(directory);
      return state.scanOrThrow();
    },
    close() {
      for (const state of watched.values()) state.clear();
      watched.clear();
      stopTimerWhenIdle();
    },
  };
}

interface Watcher {
  readonly listener: ScanListener;
  readonly told: Set<string>;
  toldProgress: Progress | null;
}

class WatchedDirectory {
  readonly #directory: string;
  readonly #watchers = new Set<Watcher>();
  readonly #cache: InspectionCache = new Map();
  /** Complete, and never looked at again. */
  readonly #complete = new Map<string, CheckpointOnStore>();
  /** Fingerprints of weights without a mark: complete once they have stayed the same from one scan to the next. */
  readonly #settling = new Map<string, string>();
  #progress: Progress | null = null;
  #offset = 0;
  #badLines = 0;
  #firstNotFinite: number | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #foreign: ForeignScan;

  constructor(directory: string) {
    this.#directory = directory;
    this.#foreign = new ForeignScan(directory);
  }

  get idle(): boolean {
    return this.#watchers.size === 0;
  }

  add(listener: ScanListener): () => void {
    const watcher: Watcher = { listener, told: new Set(), toldProgress: null };
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  clear(): void {
    this.#watchers.clear();
  }

  async scan(): Promise<void> {
    try {
      await this.scanOrThrow();
    } catch (error) {
      for (const { listener } of this.#watchers) listener.trouble?.(error);
    }
  }

  /** One scan at a time; whoever asks during one gets a scan of its own after it. */
  async scanOrThrow(): Promise<ScanSnapshot> {
    const mine = this.#turn.then(() => this.#look());
    this.#turn = mine.catch(() => undefined); // its caller hears of the error; the next scan only waits for its end
    return mine;
  }

  async #look(): Promise<ScanSnapshot> {
    const files = runFiles(this.#directory);
    const foreign = await this.#foreign.look();
    if (foreign === null) await this.#readProgress(files.progress);
    else {
      this.#progress = foreign.progress ?? this.#progress;
      this.#firstNotFinite = foreign.firstNotFinite;
    }
    const paths = await checkpointPaths(files.checkpoints);
    // What was pruned is not there any more, and its step may never be told of again.
    for (const path of this.#complete.keys()) if (!paths.includes(path)) this.#complete.delete(path);
    for (const path of paths) {
      if (!this.#complete.has(path)) await this.#readCheckpoint(path);
    }
    for (const watcher of this.#watchers) this.#tell(watcher);
    return { progress: this.#progress, badLines: this.#badLines, checkpoints: this.#bySteps() };
  }

  async #readProgress(path: string): Promise<void> {
    const tail = await tailProgress(path, this.#offset);
    this.#offset = tail.offset;
    this.#badLines += tail.badLines;
    this.#progress = tail.lines.at(-1) ?? this.#progress;
    if (tail.firstNotFinite !== null)
      this.#firstNotFinite = Math.min(tail.firstNotFinite, this.#firstNotFinite ?? Infinity);
  }

  async #readCheckpoint(path: string): Promise<void> {
    const inspection = await inspectCheckpoint(path, this.#cache);
    if (inspection?.level !== 'complete') return;
    const fingerprint = this.#cache.get(path)?.fingerprint ?? '';
    if (!inspection.marked && this.#settling.get(path) !== fingerprint) {
      this.#settling.set(path, fingerprint);
      return;
    }
    this.#settling.delete(path);
    this.#cache.delete(path);
    this.#complete.set(path, asCheckpoint(path, inspection, this.#firstNotFinite));
  }

  #bySteps(): readonly CheckpointOnStore[] {
    return [...this.#complete.values()].sort((one, other) => one.step - other.step);
  }

  #tell(watcher: Watcher): void {
    if (this.#progress !== null && this.#progress !== watcher.toldProgress) {
      watcher.toldProgress = this.#progress;
      watcher.listener.progress(this.#progress);
    }
    for (const checkpoint of this.#bySteps()) {
      if (watcher.told.has(checkpoint.path)) continue;
      watcher.told.add(checkpoint.path);
      watcher.listener.checkpoint(checkpoint);
    }
  }
}
