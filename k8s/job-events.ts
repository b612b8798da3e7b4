/**
 * What the cluster writes down about Jobs and pods of one namespace, by the object that it is about: one watch for the whole worker.
 *
 * Some waits are told nowhere else: a volume that is not mounted, a sandbox that is not made, pods that an admission refuses. Kept beyond the
 * cluster's own hour, for as long as the object is of use; the newest few of each, and of a bounded number of objects that are not ours. Does not cover what an event means (decisions/).
 */
import { eventKey, type ClusterEvent } from '../decisions/job-evidence.ts';
import { KubeError } from './kube-error.ts';
import type { KubeClient } from './kube-client.ts';
import type { SentEvent } from './kube-types.ts';
import { Reflector } from './reflector.ts';

export interface JobEventsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Called when something new was written about the object of this uid. */
  readonly told: (objectUid: string) => void;
  /** Whether the object is one of ours, whose events stay when the cluster forgets them. */
  readonly isOurs: (objectUid: string) => boolean;
  /** Told once where events cannot be read. */
  readonly warn: (sentence: string) => void;
}

/** Of each object, the newest. */
const mostOfObject = 20;
/** Objects that nobody has said to be ours: events may come before what they are about, but not long before. */
const mostStrangers = 1000;
/** The cluster's own bound. */
const longestMessage = 1024;

/** What is written of every pod that does well, and told by its state anyway. */
const everyday = ['Scheduled', 'Created', 'Started', 'SuccessfulCreate', 'SuccessfulDelete', 'Completed'];

export class JobEvents {
  readonly #reflector: Reflector<SentEvent>;
  /** Resolves when they could not be read once. */
  readonly #unread: Promise<void>;
  /** By the uid of the object, then by what was said. */
  readonly #ofObjects = new Map<string, Map<string, ClusterEvent>>();
  /** Uids of objects that were not known as ours when something was last said of them, the latest at the end. */
  readonly #strangers = new Set<string>();
  readonly #isOurs: (objectUid: string) => boolean;

  constructor({ client, namespace, told, isOurs, warn }: JobEventsOptions) {
    this.#isOurs = isOurs;
    let isWarned = false;
    let resolve: () => void = () => undefined;
    this.#unread = new Promise((unread) => {
      resolve = unread;
    });
    this.#reflector = new Reflector<SentEvent>({
      client,
      path: eventsPath(namespace),
      fieldSelector: everyday.map((reason) => `reason!=${reason}`).join(','),
      kept: inShort,
      changed: (event) => {
        const uid = uidOf(event);
        if (uid !== null && this.#keep(uid, event)) told(uid);
      },
      gone: (event) => {
        const uid = uidOf(event);
        if (uid !== null && !isOurs(uid)) this.#drop(uid, event);
      },
      failed: (error) => {
        resolve();
        if (isWarned || !(error instanceof KubeError) || error.status !== 403) return;
        isWarned = true;
        warn(
          `what the cluster writes down about jobs (a volume that is not mounted, pods that are refused) stays unknown: ${error.message}; give the worker list and watch on events in namespace ${namespace}`,
        );
      },
    });
  }

  /** Begins at the first call; resolves when all is listed, or cannot be: a worker goes on without. */
  async started(): Promise<void> {
    await Promise.race([this.#reflector.started(), this.#unread]);
  }

  /** In the order in which they were last said. */
  of(objectUids: readonly string[]): readonly ClusterEvent[] {
    return objectUids
      .flatMap((uid) => [...(this.#ofObjects.get(uid)?.values() ?? [])])
      .sort((one, other) => one.lastAt.localeCompare(other.lastAt));
  }

  forget(objectUids: readonly string[]): void {
    for (const uid of objectUids) this.#ofObjects.delete(uid);
  }

  close(): void {
    this.#reflector.close();
  }

  /** Whether it is news: what is listed anew is not. */
  #keep(uid: string, sent: SentEvent): boolean {
    const ofObject = this.#ofObjects.get(uid) ?? new Map<string, ClusterEvent>();
    const key = keyOf(sent);
    const before = ofObject.get(key);
    const event = eventOf(sent, before);
    if (before !== undefined && before.lastAt >= event.lastAt && before.count >= event.count) return false;
    ofObject.delete(key);
    this.#ofObjects.set(uid, ofObject.set(key, event));
    const [oldest] = ofObject.keys();
    if (ofObject.size > mostOfObject && oldest !== undefined) ofObject.delete(oldest);
    if (!this.#isOurs(uid)) this.#rememberStranger(uid);
    return true;
  }

  #rememberStranger(uid: string): void {
    this.#strangers.delete(uid);
    this.#strangers.add(uid);
    const [oldest] = this.#strangers;
    if (this.#strangers.size <= mostStrangers || oldest === undefined) return;
    this.#strangers.delete(oldest);
    if (!this.#isOurs(oldest)) this.#ofObjects.delete(oldest);
  }

  #drop(uid: string, sent: SentEvent): void {
    const ofObject = this.#ofObjects.get(uid);
    ofObject?.delete(keyOf(sent));
    if (ofObject?.size !== 0) return;
    this.#ofObjects.delete(uid);
    this.#strangers.delete(uid);
  }
}

/** Of an event that is known already: whether it is another one now, and what it said of what, should the cluster forget it. */
function inShort({ metadata, involvedObject, reason = '', message = '' }: SentEvent): SentEvent {
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  const { kind = '', uid: about = '' } = involvedObject;
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp },
    involvedObject: { kind, uid: about },
    ...(uidOf({ involvedObject }) === null ? {} : { reason, message }),
  };
}

/** The Job or pod that it is about; null for anything else. */
function uidOf({ involvedObject: { kind, uid } }: Pick<SentEvent, 'involvedObject'>): string | null {
  return kind === 'Job' || kind === 'Pod' ? (uid ?? null) : null;
}

/** Also where the cluster has begun a new one. */
function keyOf({ reason = '', message = '' }: SentEvent): string {
  return eventKey({ reason, message });
}

function eventOf(sent: SentEvent, before: ClusterEvent | undefined): ClusterEvent {
  const { type, reason = '', message = '', involvedObject, series, metadata } = sent;
  const firstAt = sent.firstTimestamp ?? sent.eventTime ?? metadata.creationTimestamp;
  return {
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason,
    message: message.slice(0, longestMessage),
    pod: involvedObject.kind === 'Pod' ? (involvedObject.name ?? '') : null,
    firstAt: before !== undefined && before.firstAt < firstAt ? before.firstAt : firstAt,
    lastAt: series?.lastObservedTime ?? sent.lastTimestamp ?? firstAt,
    count: series?.count ?? sent.count ?? 1,
  };
}

export const eventsPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/events`;
