/**
 * Rows of a Parquet file of another program, as they lie on this machine. A torn one is told as that: its directory stands at its end.
 *
 * Does not cover what the columns mean (lighteval-details.ts).
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  asyncBufferFromFile,
  type CompressionCodec,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet';
import { type JsonObject, requireFile, refused } from './json-files.ts';

export interface ParquetRow {
  readonly value: JsonObject;
  /** `file: row 7`, the first of which is 1. */
  readonly where: string;
}

/** Calls `take` with each row, of these columns alone; the digest of the whole file, null where it lacks one of them. Throws `invalid-input` where it is torn. */
export async function readParquetRows(
  path: string,
  columns: readonly string[],
  take: (row: ParquetRow) => void,
): Promise<string | null> {
  await requireFile(path);
  const file = await asyncBufferFromFile(path);
  const metadata = await whole(path, () => parquetMetadataAsync(file));
  const known = parquetSchema(metadata).children.map(({ element }) => element.name);
  if (columns.some((column) => !known.includes(column))) return null;
  mustBeReadable(path, metadata);
  let rowStart = 0;
  // One group of rows after the other: all answers of a long benchmark need not be in memory at once.
  for (const group of metadata.row_groups) {
    const [start, rowEnd] = [rowStart, rowStart + Number(group.num_rows)];
    const rows = await whole(path, () =>
      parquetReadObjects({ file, metadata, columns: [...columns], rowStart: start, rowEnd }),
    );
    for (const [index, value] of rows.entries()) take({ value, where: `${path}: row ${String(start + index + 1)}` });
    rowStart = rowEnd;
  }
  return await digestOf(path);
}

/** What the library reads: datasets, and pandas with pyarrow, write snappy unless they are told otherwise. */
const codecs: readonly (CompressionCodec | undefined)[] = ['UNCOMPRESSED', 'SNAPPY'];

function mustBeReadable(path: string, { row_groups: groups }: FileMetaData): void {
  const codec = groups
    .flatMap((group) => group.columns.map((column) => column.meta_data?.codec))
    .find((one) => !codecs.includes(one));
  if (codec !== undefined)
    throw refused(path, `is compressed with ${codec}: write it with snappy, or without compression`);
}

async function whole<Value>(path: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw refused(path, `is no whole Parquet file (${said}): is it still being written, or was it cut off?`);
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
