/**
 * Keeps up with all objects of one kind that a selector finds: a list, then one watch, for as long as the worker runs.
 *
 * Covers pages, bookmarks, silence, 410, relists, and patience without end. What it has told is what the server last said: an object that
 * it does not know may exist all the same, so that absence is to be confirmed by a GET. Does not cover what objects mean.
 */
import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import { pause } from './pause.ts';

/** What every object has; the rest is its kind's. */
export interface KubeObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient;
  /** The collection, such as `/apis/batch/v1/namespaces/x/jobs`. */
  readonly path: string;
  /** @default every label */
  readonly labelSelector?: string;
  /** @default every field */
  readonly fieldSelector?: string;
  changed(object: T): void;
  /** With the object as it was kept, or as the server sent it last. */
  gone(object: T): void;
  /** What is kept of an object for `get`, `all` and `gone`. @default all of it but who wrote which field */
  kept?(object: T): T;
  /** A list or a watch that came to nothing: it is tried again all the same. */
  failed?(error: unknown): void;
  /** @default Math.random */
  readonly random?: () => number;
  readonly times?: Partial<ReflectorTimes>;
}

/** Seconds. */
export interface ReflectorTimes {
  /** After so long without a word (bookmarks come each minute) the connection is dead. @default 80 */
  readonly silence: number;
  /** The server ends a watch after this to twice this. @default 240 */
  readonly watch: number;
  /** All is listed again after about this, whatever the watch said. @default 600 */
  readonly relist: number;
  /** The first pause after a failure; doubled up to 30. @default 0.8 */
  readonly pause: number;
}

const defaultTimes: ReflectorTimes = { silence: 80, watch: 240, relist: 600, pause: 0.8 };
const longestPauseSeconds = 30;
/** A watch that lasts no longer came to nothing, however it ended: the pauses grow, so that no server is asked without end. */
const shortestWatchSeconds = 5;
const pageSize = 500;

interface Page<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[];
}

interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T & { readonly code?: number; readonly message?: string };
}

export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #times: ReflectorTimes;
  readonly #random: () => number;
  readonly #known = new Map<string, T>();
  readonly #closed = new AbortController();
  #resourceVersion: string | null = null;
  #listedAt = 0;
  #contactAt = -Infinity;
  #firstList: Promise<void> | null = null;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#random = options.random ?? Math.random;
  }

  /** Begins at the first call; resolves when all is listed, or when it is closed. */
  started(): Promise<void> {
    this.#firstList ??= new Promise((resolve) => {
      void this.#run(resolve);
    });
    return this.#firstList;
  }

  get(name: string): T | undefined {
    return this.#known.get(name);
  }

  all(): readonly T[] {
    return [...this.#known.values()];
  }

  /** For how long the server has said nothing at all; infinite before it ever did. */
  get silentSeconds(): number {
    return (performance.now() - this.#contactAt) / 1000;
  }

  close(): void {
    this.#closed.abort();
  }

  async #run(listed: () => void): Promise<void> {
    let failures = 0;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      let began = Infinity;
      let broke = false;
      try {
        if (this.#resourceVersion === null) await this.#list();
        listed();
        began = performance.now();
        await this.#watch();
      } catch (error) {
        broke = true;
        if (isExpired(error)) this.#resourceVersion = null;
        this.#options.failed?.(error);
      }
      const lasted = performance.now() - began > shortestWatchSeconds * 1000;
      if (lasted) failures = 0;
      if (broke || !lasted) await this.#pause((failures += 1));
    }
    listed();
  }

  async #list(): Promise<void> {
    const found = new Map<string, T>();
    let more: string | undefined;
    let resourceVersion: string;
    do {
      const page: Page<T> = await this.#options.client.send({
        method: 'GET',
        path: this.#query({ limit: String(pageSize), ...(more === undefined ? {} : { continue: more }) }),
        signal: this.#closed.signal,
      });
      for (const object of page.items) found.set(object.metadata.name, object);
      resourceVersion = page.metadata.resourceVersion;
      more = page.metadata.continue || undefined;
    } while (more !== undefined);
    for (const object of this.all()) if (!found.has(object.metadata.name)) this.#forget(object);
    for (const object of found.values()) {
      const { uid, resourceVersion: version } = this.#known.get(object.metadata.name)?.metadata ?? {};
      if (uid !== object.metadata.uid || version !== object.metadata.resourceVersion) this.#learn(object);
    }
    this.#resourceVersion = resourceVersion;
    this.#listedAt = performance.now();
    this.#contactAt = this.#listedAt;
  }

  /** Returns when the server ends the watch or it is time to list again: always after one that told nothing. Throws what broke it. */
  async #watch(): Promise<void> {
    const seconds = Math.ceil(this.#times.watch * (1 + this.#random()));
    const watchdog = new AbortController();
    const signal = AbortSignal.any([this.#closed.signal, watchdog.signal]);
    const silence = () =>
      setTimeout(() => {
        this.#resourceVersion = null;
        watchdog.abort();
      }, this.#times.silence * 1000);
    const relistSeconds = this.#times.relist * (0.8 + 0.4 * this.#random());
    let timer = silence();
    let told = false;
    try {
      const query = {
        watch: '1',
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(seconds),
        resourceVersion: this.#resourceVersion ?? '',
      };
      for await (const event of eventsOf<T>(await this.#options.client.stream(this.#query(query), signal))) {
        clearTimeout(timer);
        timer = silence();
        told = true;
        this.#contactAt = performance.now();
        this.#take(event);
        if (performance.now() - this.#listedAt > relistSeconds * 1000) {
          this.#resourceVersion = null;
          return;
        }
      }
      if (!told) this.#resourceVersion = null;
    } finally {
      clearTimeout(timer);
      watchdog.abort();
    }
  }

  #take({ type, object }: WatchEvent<T>): void {
    if (type === 'ERROR') throw new KubeError(object.message ?? 'the watch failed', { status: object.code ?? 500 });
    this.#resourceVersion = object.metadata.resourceVersion;
    if (type === 'BOOKMARK') return;
    if (type === 'DELETED') this.#forget(object);
    else this.#learn(object);
  }

  #learn(object: T): void {
    const before = this.#known.get(object.metadata.name);
    if (before !== undefined && before.metadata.uid !== object.metadata.uid) this.#forget(before);
    // The half of an object that says who wrote which field: nobody here reads it.
    Reflect.deleteProperty(object.metadata, 'managedFields');
    this.#known.set(object.metadata.name, this.#options.kept?.(object) ?? object);
    this.#options.changed(object);
  }

  #forget(object: T): void {
    this.#known.delete(object.metadata.name);
    this.#options.gone(object);
  }

  #query(more: Record<string, string>): string {
    const { path, labelSelector, fieldSelector } = this.#options;
    const selectors = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
    return `${path}?${new URLSearchParams({ ...selectors, ...more }).toString()}`;
  }

  async #pause(failures: number): Promise<void> {
    const seconds =
      Math.min(longestPauseSeconds, this.#times.pause * 2 ** (failures - 1)) * (0.75 + this.#random() / 2);
    await pause(seconds * 1000, this.#closed.signal);
  }
}

/** The version is too old, or, after the server's data was restored, too new: either way all is listed again. */
function isExpired(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  return error.status === 410 || error.reason === 'Expired' || /too large resource version/i.test(error.message);
}

async function* eventsOf<T>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent<T>> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as WatchEvent<T>;
  }
}
