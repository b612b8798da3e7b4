/**
 * A pod's log as a file of its job's directory, gone on with where it ended, also by another worker.
 *
 * A line is known by the time that its node gave it. The same lines always go to the same place of the file, so that two workers who write at
 * once write the same bytes. What a node threw away before anybody read it leaves a line that says so. Does not cover asking for a log.
 */
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { logName } from '../decisions/log-name.ts';
import { openToWrite, readOwnTextIfThere } from '../store/own-file.ts';
import { writeByRename } from '../store/write-by-rename.ts';

interface Position {
  readonly podUid: string;
  /** Size of the file up to here. */
  readonly bytes: number;
  /** Of the last line, with nine digits of a second; empty before the first. */
  readonly time: string;
  /** How many lines up to here have that very time. */
  readonly ofThatTime: number;
}

export const gapMarker = '[temper: lines may be missing here: the node had rotated its log before they were read]';

export class LogFile {
  readonly #handle: FileHandle;
  readonly #positionFile: string;
  /** Of the file when it was opened: a worker that was killed may have written more than it kept the place of. */
  readonly #sizeBefore: number;
  #position: Position;
  /** Whether the last line read before was seen again: the node still has it, so that nothing is missing between. */
  #isJoined: boolean;
  /** Whether a line was written that was not there when it was opened. */
  #isBeyond = false;
  /** Lines with the time of the last one that were seen again. */
  #seenAgain = 0;

  private constructor(
    handle: FileHandle,
    positionFile: string,
    of: { readonly size: number; readonly position: Position },
  ) {
    this.#handle = handle;
    this.#positionFile = positionFile;
    this.#sizeBefore = of.size;
    this.#position = of.position;
    this.#isJoined = of.position.time === '';
  }

  /** Opens the log of a rank, or begins it. Rejects where what lies in its place is no file. */
  static async open(directory: string, rank: number, podUid: string): Promise<LogFile> {
    const positionFile = join(directory, `${logName(rank)}.position.json`);
    const handle = await openToWrite(join(directory, logName(rank)));
    try {
      const { size } = await handle.stat();
      const found = await readPosition(positionFile);
      const position =
        found?.podUid === podUid ? found : { podUid, bytes: found === null ? 0 : size, time: '', ofThatTime: 0 };
      return new LogFile(handle, positionFile, { size, position });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** What to ask for: the log from here on; null for all of it. Whole seconds, which is all that the server tells apart. */
  get sinceTime(): string | null {
    const { time } = this.#position;
    return time === '' ? null : `${time.slice(0, 19)}Z`;
  }

  /** Size of what was written up to here. */
  get bytes(): number {
    return this.#position.bytes;
  }

  /** Lines as the server gives them with `timestamps=true`, in their order; those that the file has are left out. */
  async write(lines: readonly string[]): Promise<void> {
    const before = this.#position;
    const text = lines.map((line) => this.#taken(line)).join('');
    const begin = this.#position.bytes;
    const bytes = Buffer.from(text);
    try {
      for (let done = 0; done < bytes.length;)
        done += (await this.#handle.write(bytes, done, bytes.length - done, begin + done)).bytesWritten;
    } catch (error) {
      this.#position = before;
      throw error;
    }
    this.#position = { ...this.#position, bytes: begin + bytes.length };
  }

  /** Keeps where it is, for whoever goes on: after a crash before this the same lines are written again, in the same place. */
  async keep(): Promise<void> {
    await writeByRename(this.#positionFile, `${JSON.stringify(this.#position)}\n`);
  }

  async close(): Promise<void> {
    try {
      await this.keep();
    } finally {
      await this.#handle.close();
    }
  }

  #taken(line: string): string {
    const [, stamp, text] = stamped.exec(line) ?? [];
    // What the node itself says in a log has no time.
    if (stamp === undefined || text === undefined) return '';
    const time = inNanoseconds(stamp);
    const { time: last, ofThatTime } = this.#position;
    // Two streams of one container are stamped apart: behind a new line, an earlier one is new too.
    if (time < last) return this.#isBeyond ? `${text}\n` : '';
    if (time === last) {
      this.#isJoined = true;
      this.#seenAgain += 1;
      if (this.#seenAgain <= ofThatTime) return '';
    }
    const gap = this.#isJoined ? '' : this.#gap();
    const count = time === last ? this.#seenAgain : 1;
    this.#seenAgain = count;
    this.#isBeyond = true;
    this.#position = { ...this.#position, time, ofThatTime: count };
    return `${gap}${text}\n`;
  }

  /** Goes on behind all that is there: what follows is not known to be the same. */
  #gap(): string {
    this.#isJoined = true;
    const { bytes } = this.#position;
    const isLonger = this.#sizeBefore > bytes;
    if (isLonger) this.#position = { ...this.#position, bytes: this.#sizeBefore };
    return `${isLonger ? '\n' : ''}${gapMarker}\n`;
  }
}

const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) (.*)$/s;

/** The beginning of a line that has no end yet, in lines of at most so many characters, and the rest of it, each with the line's time. */
export function cutLongLine(
  line: string,
  longest: number,
): { readonly lines: readonly string[]; readonly rest: string } {
  const stamp = stamped.exec(line)?.[1];
  if (stamp === undefined || line.length <= longest) return { lines: [], rest: line };
  const lines: string[] = [];
  let rest = line;
  for (; rest.length > longest; rest = `${stamp} ${rest.slice(longest)}`) lines.push(rest.slice(0, longest));
  return { lines, rest };
}

/** Go leaves zeros at the end out, and texts of different lengths cannot be compared. */
function inNanoseconds(stamp: string): string {
  const [second = '', fraction = ''] = stamp.slice(0, -1).split('.');
  return `${second}.${fraction.padEnd(9, '0')}`;
}

/** Null where there is none, or none that can be read: then the log is brought from its beginning. */
async function readPosition(file: string): Promise<Position | null> {
  const text = await readOwnTextIfThere(file);
  if (text === null) return null;
  try {
    return JSON.parse(text) as Position;
  } catch {
    return null;
  }
}
