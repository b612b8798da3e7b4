/**
 * Seals: the digest of every file of a checkpoint, beside it as `checkpoint-N.seal.json`.
 *
 * Covers computing (streaming: for small checkpoints; large ones are hashed by a job), reading, writing and verifying.
 * `digest` is the SHA-256 of the lines `<sha256>  <size>  <path>\n` of all files sorted by path; `weights` the same over
 * `*.safetensors` alone. Does not cover whether a checkpoint without a seal is whole (formats/).
 */
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { openModelFile, readOwnTextIfThere } from './own-file.ts';
import { writeByRename } from './write-by-rename.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const file = z.object({ path: z.string().min(1), size: z.int().min(0), sha256 });
const sealSchema = z.object({
  contract: z.literal(1),
  step: z.int().min(0),
  format: z.string(),
  digest: sha256,
  weights: sha256,
  files: z.array(file),
});

export type SealedFile = z.output<typeof file>;
export type Seal = z.output<typeof sealSchema>;
export type SealReading =
  | { readonly seal: 'none' }
  | { readonly seal: 'readable'; readonly value: Seal }
  | { readonly seal: 'damaged'; readonly why: string };

/** A line for each file of a checkpoint, of which there may be many thousands. */
const mostBytes = 256 * 1024 * 1024;

/** Where the seal of a checkpoint lies. */
export function sealPath(checkpoint: string): string {
  return `${checkpoint}.seal.json`;
}

/** `digest` of these files. */
export function digestOf(files: readonly SealedFile[]): string {
  const hash = createHash('sha256');
  for (const { sha256: digest, size, path } of sorted(files)) hash.update(`${digest}  ${String(size)}  ${path}\n`);
  return hash.digest('hex');
}

/** `weights` of these files. */
export function weightsDigestOf(files: readonly SealedFile[]): string {
  return digestOf(files.filter(({ path }) => path.endsWith('.safetensors')));
}

/** Relative paths of every file below the directory, sorted, with `/` between parts. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(directory.length + 1)
        .replaceAll('\\', '/'),
    );
  return paths.sort(byText);
}

/** Reads every byte of the checkpoint. */
export async function computeSeal(
  checkpoint: string,
  of: { readonly step: number; readonly format: string },
): Promise<Seal> {
  const files: SealedFile[] = [];
  for (const path of await filesBelow(checkpoint)) files.push({ path, ...(await hashFile(join(checkpoint, path))) });
  return {
    contract: 1,
    step: of.step,
    format: of.format,
    digest: digestOf(files),
    weights: weightsDigestOf(files),
    files,
  };
}

export async function writeSeal(checkpoint: string, seal: Seal): Promise<void> {
  await writeByRename(sealPath(checkpoint), `${JSON.stringify(seal)}\n`);
}

/** The seal beside the checkpoint. One whose own digests do not fit its files is damaged. */
export async function readSeal(checkpoint: string): Promise<SealReading> {
  const path = sealPath(checkpoint);
  const text = await readOwnTextIfThere(path, mostBytes);
  if (text === null) return { seal: 'none' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { seal: 'damaged', why: 'the seal is not JSON' };
  }
  const read = sealSchema.safeParse(value);
  if (!read.success) return { seal: 'damaged', why: 'the seal is not what the contract says' };
  if (digestOf(read.data.files) !== read.data.digest || weightsDigestOf(read.data.files) !== read.data.weights) {
    return { seal: 'damaged', why: 'the seal does not agree with itself' };
  }
  return { seal: 'readable', value: read.data };
}

/**
 * What differs between the checkpoint and its seal, or null. `sizes` looks at names and sizes (cheap), `digests` reads every byte.
 */
export async function verifySeal(checkpoint: string, seal: Seal, how: 'sizes' | 'digests'): Promise<string | null> {
  const sealed = new Map(seal.files.map((entry) => [entry.path, entry]));
  for (const path of await filesBelow(checkpoint)) {
    if (!sealed.has(path)) return `${path} is not covered by the seal`;
  }
  for (const { path, size, sha256: want } of sorted(seal.files)) {
    const real = join(checkpoint, path);
    const was = await stat(real).catch(absent);
    if (was === null) return `${path} is missing`;
    if (was.size !== size) return `${path} has ${String(was.size)} bytes, sealed with ${String(size)}`;
    if (how === 'digests' && (await hashFile(real)).sha256 !== want) return `${path} differs from its seal`;
  }
  return null;
}

/** Streams the file. Throws where it is no regular one. */
export async function hashFile(path: string): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const handle = await openModelFile(path);
  await pipeline(handle.createReadStream({ highWaterMark: 1024 * 1024 }), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      size += chunk.length;
      hash.update(chunk);
    }
  });
  return { size, sha256: hash.digest('hex') };
}

function sorted(files: readonly SealedFile[]): SealedFile[] {
  return [...files].sort((one, other) => byText(one.path, other.path));
}

/** As Python sorts: by code point, whatever the language of the machine. */
function byText(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function absent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
