/**
 * Whether a file that torch.save wrote is plausibly whole: it begins like a zip archive and has the record that stands at its end.
 *
 * Costs two small reads. Does not cover the archive's content.
 */
import type { FileHandle } from 'node:fs/promises';
import { isForeignThing, openModelFile } from '../own-file.ts';

const firstBytes = Buffer.from([0x50, 0x4b]);
const endRecord = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const endRecordBytes = 22;
/** The end record may be followed by a comment of this many bytes. */
const longestComment = 65_535;

/** Why it is not whole, or null. */
export async function zipDamage(path: string): Promise<string | null> {
  let handle: FileHandle;
  try {
    handle = await openModelFile(path);
  } catch (error) {
    if (isForeignThing(error)) return 'is no regular file';
    throw error;
  }
  try {
    const { size } = await handle.stat();
    if (size === 0) return 'is empty';
    const length = Math.min(size, endRecordBytes + longestComment);
    const { buffer: head } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(endRecord);
    if (!head.equals(firstBytes)) return 'is not a zip archive';
    return end === -1 || end + endRecordBytes > bytesRead ? 'is cut: its end record is missing' : null;
  } finally {
    await handle.close();
  }
}
