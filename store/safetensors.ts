/**
 * Checks that a safetensors file is whole by reading its header alone: the header covers the file exactly.
 *
 * Costs one small read whatever the file's size. Does not cover the bytes of the tensors (seal.ts has their digest).
 */
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { isForeignThing, openModelFile } from './own-file.ts';

const bitsOfType: Readonly<Record<string, number>> = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E5M2: 8,
  F8_E4M3: 8,
  F8_E8M0: 8,
  F8_E4M3FNUZ: 8,
  F8_E5M2FNUZ: 8,
  U16: 16,
  I16: 16,
  F16: 16,
  BF16: 16,
  U32: 32,
  I32: 32,
  F32: 32,
  U64: 64,
  I64: 64,
  F64: 64,
  C64: 64,
  F4: 4,
  F6_E2M3: 6,
  F6_E3M2: 6,
};

const tensorSchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});

const maximumHeaderBytes = 100 * 1000 * 1000;

export type SafetensorsCheck =
  | { readonly whole: true; readonly tensors: readonly string[]; readonly bytes: number }
  | { readonly whole: false; readonly why: string };

const damaged = (why: string): SafetensorsCheck => ({ whole: false, why });

/** Whether the file is whole, with the names of its tensors. An absent file is not. */
export async function checkSafetensors(path: string): Promise<SafetensorsCheck> {
  let handle: FileHandle;
  try {
    handle = await openModelFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return damaged('is missing');
    if (isForeignThing(error)) return damaged('is no regular file');
    throw error;
  }
  try {
    return await check(handle);
  } finally {
    await handle.close();
  }
}

async function check(handle: FileHandle): Promise<SafetensorsCheck> {
  const { size } = await handle.stat();
  if (size < 8) return damaged(`is too small for a header (${String(size)} bytes)`);
  const lengthBytes = await read(handle, 8, 0);
  const length = lengthBytes.length === 8 ? lengthBytes.readBigUInt64LE() : 0n;
  if (length > BigInt(maximumHeaderBytes)) return damaged('has a header of more than 100 MB');
  if (length > BigInt(size - 8)) return damaged('is cut within its header');
  const headerBytes = await read(handle, Number(length), 8);
  if (headerBytes.length !== Number(length)) return damaged('is cut within its header');
  let header: unknown;
  try {
    header = JSON.parse(headerBytes.toString('utf8'));
  } catch {
    return damaged('has a header that is not JSON');
  }
  return covers(header, size - 8 - Number(length), size);
}

async function read(handle: FileHandle, length: number, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function covers(header: unknown, dataBytes: number, bytes: number): SafetensorsCheck {
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    return damaged('has a header that is not an object');
  const tensors: { name: string; begin: number; end: number }[] = [];
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const tensor = tensorSchema.safeParse(value);
    if (!tensor.success) return damaged(`has a header that does not describe tensor "${name}"`);
    const {
      dtype,
      shape,
      data_offsets: [begin, end],
    } = tensor.data;
    const bits = bitsOfType[dtype];
    if (bits === undefined) return damaged(`has tensor "${name}" of unknown type ${dtype}`);
    if (shape.reduce((product, extent) => product * extent, bits) !== (end - begin) * 8) {
      return damaged(`has tensor "${name}" whose shape does not fit its bytes`);
    }
    tensors.push({ name, begin, end });
  }
  tensors.sort((one, other) => one.begin - other.begin || one.end - other.end);
  let covered = 0;
  for (const { name, begin, end } of tensors) {
    if (begin !== covered) return damaged(`has a gap or an overlap before tensor "${name}"`);
    covered = end;
  }
  if (covered > dataBytes) return damaged(`is cut: ${String(dataBytes)} of ${String(covered)} bytes of tensors`);
  if (covered < dataBytes) return damaged(`has ${String(dataBytes - covered)} bytes that no tensor covers`);
  if (tensors.length === 0) return damaged('holds no tensor');
  return { whole: true, tensors: tensors.map(({ name }) => name), bytes };
}
