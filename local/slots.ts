/**
 * Slots of a machine (GPUs or cores) and the queue for them, shared by all supervisors under one root without anybody in charge.
 *
 *   slot-<number>-<generation>.json      who holds the slot; the highest generation counts
 *   slot-<number>-<generation>.released  it was given back
 *   ticket-<time>-<token>.json           who waits; the oldest living ticket is served first, and only it takes slots
 *
 * A generation is created exclusively and only on top of one that is released or whose job is dead, which both stay true for ever:
 * so no two hold a slot, and a dead holder's slot is taken over. Does not cover what runs in a slot.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readObject, removeFile, claimFile } from './durable-file.ts';
import { watchFolder } from './folder-watch.ts';
import { jobLives } from './job-status.ts';

export interface SlotWish {
  readonly root: string;
  /** Slots of the machine. */
  readonly total: number;
  readonly wanted: number;
  /** The job that holds them as long as it lives. */
  readonly holder: { readonly token: string; readonly directory: string };
}

export interface SlotWait {
  /** Ends the waiting: nothing is held then. */
  readonly signal: AbortSignal;
  /** Called once, when there is no slot at first. */
  waiting(reason: string): Promise<void>;
}

/** Without an event the folder is looked at this often: a killed holder tells nobody. */
const lookSeconds = 1;

/** Waits for the slots; their numbers, or null when the signal came first. */
export async function acquireSlots(wish: SlotWish, wait: SlotWait): Promise<readonly number[] | null> {
  const folder = slotFolder(wish.root);
  await mkdir(folder, { recursive: true });
  const ticket = `ticket-${String(Date.now()).padStart(15, '0')}-${wish.holder.token}.json`;
  await claimFile(join(folder, ticket), wish.holder);
  const held = new Map<number, string>();
  const changes = folderChanges(folder, wait.signal);
  try {
    for (let first = true; !wait.signal.aborted; first = false) {
      const ahead = await othersAhead(folder, ticket);
      if (ahead) await giveBack(folder, held);
      else await takeFree(folder, wish, held);
      if (held.size >= wish.wanted) return [...held.keys()];
      if (first)
        await wait.waiting(
          ahead ? 'waits behind other jobs for a slot' : `waits for ${wish.wanted} of ${wish.total} slots`,
        );
      await changes.next();
    }
    await giveBack(folder, held);
    return null;
  } finally {
    changes.close();
    await removeFile(join(folder, ticket));
  }
}

/** Gives back every slot that the job holds. */
export async function releaseSlots(root: string, token: string): Promise<void> {
  const folder = slotFolder(root);
  for (const { generation, slot } of (await readSlots(folder)).values()) {
    const name = claimName(slot, generation);
    if ((await readObject(join(folder, name)))?.['token'] === token)
      await claimFile(join(folder, releasedName(name)), {});
  }
}

function slotFolder(root: string): string {
  return join(root, 'slots');
}

const claimName = (slot: number, generation: number) => `slot-${slot}-${String(generation).padStart(9, '0')}.json`;
const releasedName = (claim: string) => claim.replace(/json$/, 'released');

interface SlotState {
  readonly slot: number;
  readonly generation: number;
  readonly released: boolean;
  /** Older files that may go. */
  readonly older: readonly string[];
}

/** The newest generation of every slot that was ever used. */
async function readSlots(folder: string): Promise<Map<number, SlotState>> {
  const names = await readdir(folder);
  const known = new Set(names);
  const slots = new Map<number, SlotState>();
  for (const name of names.sort()) {
    const match = /^slot-(\d+)-(\d{9})\.json$/.exec(name);
    if (match === null) continue;
    const [slot, generation] = [Number(match[1]), Number(match[2])];
    const before = slots.get(slot);
    const older = before === undefined ? [] : [...before.older, claimName(slot, before.generation)];
    slots.set(slot, { slot, generation, released: known.has(releasedName(name)), older });
  }
  return slots;
}

/** Only the nearest living ticket ahead matters; dead ones on the way are removed. */
async function othersAhead(folder: string, mine: string): Promise<boolean> {
  const ahead = (await readdir(folder)).filter((name) => /^ticket-.*\.json$/.test(name) && name < mine).sort();
  for (const name of ahead.reverse()) {
    if (await holderLives(join(folder, name))) return true;
    await removeFile(join(folder, name));
  }
  return false;
}

async function holderLives(path: string): Promise<boolean> {
  const holder = await readObject(path);
  if (holder === null) return false;
  return jobLives(String(holder['directory']), String(holder['token']));
}

async function takeFree(folder: string, wish: SlotWish, held: Map<number, string>): Promise<void> {
  const slots = await readSlots(folder);
  for (let slot = 0; slot < wish.total && held.size < wish.wanted; slot += 1) {
    if (held.has(slot)) continue;
    const state = slots.get(slot);
    if (state !== undefined && !state.released && (await holderLives(join(folder, claimName(slot, state.generation)))))
      continue;
    const claim = claimName(slot, (state?.generation ?? 0) + 1);
    if (!(await claimFile(join(folder, claim), wish.holder))) continue;
    const now = (await readSlots(folder)).get(slot);
    if (now === undefined || claimName(slot, now.generation) !== claim) {
      await removeFile(join(folder, claim));
      continue;
    }
    held.set(slot, claim);
    // The generation just below stays, so that whoever lists the folder meanwhile always sees one.
    for (const old of now.older.slice(0, -1)) {
      await removeFile(join(folder, old));
      await removeFile(join(folder, releasedName(old)));
    }
  }
}

async function giveBack(folder: string, held: Map<number, string>): Promise<void> {
  for (const claim of held.values()) await claimFile(join(folder, releasedName(claim)), {});
  held.clear();
}

/** Resolves `next` at the next change of the folder, after a while, or when the signal comes; changes between two calls are kept. */
function folderChanges(folder: string, signal: AbortSignal): { next(): Promise<void>; close(): void } {
  let changed = false;
  let wake: (() => void) | null = null;
  const notice = () => {
    changed = true;
    wake?.();
  };
  const watcher = watchFolder(folder, (name) => {
    if (name?.endsWith('.tmp') !== true) notice();
  });
  signal.addEventListener('abort', notice);
  return {
    async next() {
      if (!changed && !signal.aborted) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, lookSeconds * 1000);
        });
        clearTimeout(timer);
      }
      changed = false;
    },
    close() {
      watcher.close();
      signal.removeEventListener('abort', notice);
    },
  };
}
