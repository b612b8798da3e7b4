/**
 * Hears of changes in a folder where the system can tell of them. Inotify has limits per user (128 watchers by default): where it
 * refuses, nothing is heard, and whoever watches looks by time, as it must anyway for what no event tells of.
 */
import { watch } from 'node:fs';

export interface FolderWatch {
  /** False once the system refuses to tell of changes. */
  readonly hears: boolean;
  close(): void;
}

/** Calls back with the name of what changed; null when the system does not say, or has just stopped telling. */
export function watchFolder(folder: string, changed: (name: string | null) => void): FolderWatch {
  const state = { hears: true };
  try {
    const watcher = watch(folder, (_event, name) => {
      changed(name);
    });
    watcher.on('error', () => {
      state.hears = false;
      watcher.close();
      changed(null);
    });
    return {
      get hears() {
        return state.hears;
      },
      close() {
        watcher.close();
      },
    };
  } catch {
    return { hears: false, close: () => undefined };
  }
}
