/**
 * A pod's log as a file of its job's directory, gone on with where it ended, also by another worker.
 *
 * A line is known by the time that its node gave it. The same lines always go to the same place of the file, so that two workers who write at
 * once write the same bytes. What a node threw away before anybody read it leaves a line that says so. Does not cover asking for a log.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { logName } from '../decisions/log-name.ts';
import { isAbsent } from '../store/absence.ts';
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
  #position: Position;
  /** Whether the last line of before was seen again: the node still has it, so that nothing is missing between. */
  #isJoined: boolean;
  /** Lines with the time of the last one that were seen again. */
  #seenAgain = 0;

  private constructor(handle: FileHandle, positionFile: string, position: Position) {
    this.#handle = handle;
    this.#positionFile = positionFile;
    this.#position = position;
    this.#isJoined = position.time === '';
  }

  /** Opens the log of a rank, or begins it. A link that a pod left in its place is not followed: then this rejects. */
  static async open(directory: string, rank: number, podUid: string): Promise<LogFile> {
    const positionFile = join(directory, `${logName(rank)}.position.json`);
    const found = await readPosition(positionFile);
    const { O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
    const handle = await open(join(directory, logName(rank)), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o644);
    const position = found ?? { podUid, bytes: 0, time: '', ofThatTime: 0 };
    return new LogFile(handle, positionFile, position.podUid === podUid ? position : { ...position, podUid, time: '' });
  }

  /** What to ask for: the log from here on; null for all of it. Whole seconds, which is all that the server tells apart. */
  get sinceTime(): string | null {
    const { time } = this.#position;
    return time === '' ? null : `${time.slice(0, 19)}Z`;
  }

  /** Size of the file. */
  get bytes(): number {
    return this.#position.bytes;
  }

  /** Lines as the server gives them with `timestamps=true`, in their order; those that the file has are left out. */
  async write(lines: readonly string[]): Promise<void> {
    const before = this.#position;
    const bytes = Buffer.from(lines.map((line) => this.#taken(line)).join(''));
    try {
      await this.#handle.write(bytes, 0, bytes.length, before.bytes);
    } catch (error) {
      this.#position = before;
      throw error;
    }
    this.#position = { ...this.#position, bytes: before.bytes + bytes.length };
  }

  /** Keeps where it is, for whoever goes on: after a crash before this the same lines are written again, in the same place. */
  async keep(): Promise<void> {
    await writeByRename(this.#positionFile, `${JSON.stringify(this.#position)}\n`);
  }

  async close(): Promise<void> {
    await this.keep();
    await this.#handle.close();
  }

  #taken(line: string): string {
    const [, stamp, text] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) (.*)$/s.exec(line) ?? [];
    // What the node itself says in a log has no time.
    if (stamp === undefined || text === undefined) return '';
    const time = inNanoseconds(stamp);
    const { time: last, ofThatTime } = this.#position;
    if (time < last) return '';
    if (time === last) {
      this.#isJoined = true;
      this.#seenAgain += 1;
      if (this.#seenAgain <= ofThatTime) return '';
    }
    const gap = this.#isJoined ? '' : `${gapMarker}\n`;
    this.#isJoined = true;
    const count = time === last ? this.#seenAgain : 1;
    this.#seenAgain = count;
    this.#position = { ...this.#position, time, ofThatTime: count };
    return `${gap}${text}\n`;
  }
}

/** Go leaves zeros at the end out, and texts of different lengths cannot be compared. */
function inNanoseconds(stamp: string): string {
  const [second = '', fraction = ''] = stamp.slice(0, -1).split('.');
  return `${second}.${fraction.padEnd(9, '0')}`;
}

async function readPosition(file: string): Promise<Position | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Position;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
