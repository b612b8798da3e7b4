/**
 * A part of a log file in whole lines: its end, or what came since an offset.
 *
 * Does not cover waiting for more (activities/logs.ts).
 */
import { isNoOwnFile, openToRead } from './own-file.ts';

export interface LogWindow {
  /** Byte offsets of the text in the file; `to` is where to go on. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export interface LogWish {
  /** Byte offset to go on from; left out: the end of the file. */
  readonly from?: number;
  readonly maximumBytes: number;
  /** Take a last line without an end too: nothing more will come. */
  readonly isOver: boolean;
}

const newline = 0x0a;

/** Null when there is no file. A file that became shorter is read anew. */
export async function readLogWindow(path: string, wish: LogWish): Promise<LogWindow | null> {
  let handle;
  try {
    handle = await openToRead(path);
  } catch (error) {
    if (isNoOwnFile(error)) return null;
    throw error;
  }
  try {
    const { size } = await handle.stat();
    const isTail = wish.from === undefined || wish.from > size;
    const start = isTail ? Math.max(0, size - wish.maximumBytes) : (wish.from ?? 0);
    const buffer = Buffer.alloc(Math.min(size - start, wish.maximumBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const bytes = buffer.subarray(0, bytesRead);
    const begin = isTail && start > 0 ? bytes.indexOf(newline) + 1 : 0;
    const whole = bytes.lastIndexOf(newline) + 1;
    // A line longer than the window is taken in parts.
    const end =
      whole <= begin && bytesRead === wish.maximumBytes
        ? bytesRead
        : wish.isOver && start + bytesRead === size
          ? bytesRead
          : whole;
    return {
      from: start + begin,
      to: start + Math.max(begin, end),
      text: bytes.toString('utf8', begin, Math.max(begin, end)),
    };
  } finally {
    await handle.close();
  }
}
