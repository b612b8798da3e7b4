/**
 * An image as a tar of an OCI layout, made without Docker: uncompressed layers, so that a layer's digest is also its diff id, and times,
 * owners and order fixed, so that the same contents are the same image.
 */
import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from '../machine/programs.ts';

/** What a container of the image runs as, unless its pod says otherwise. */
export interface ImageConfig {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly User?: string;
  readonly WorkingDir?: string;
}

export interface Image {
  readonly name: string;
  /** Tars of file trees, the lowest first. */
  readonly layers: readonly string[];
  readonly config: ImageConfig;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** Packs `root` as a layer, owned by root. */
export async function packLayer(root: string, target: string): Promise<void> {
  const owners = ['--numeric-owner', '--owner=0', '--group=0', '--mode=go+rX'];
  const order = ['--sort=name', '--mtime=@0', '--hard-dereference'];
  await run('tar', ['-C', root, ...owners, ...order, '-cf', target, '.']);
}

/** Writes the image to `target`, whole or not at all. */
export async function writeImage(image: Image, target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const layout = mkdtempSync(join(dirname(target), '.image-'));
  try {
    mkdirSync(join(layout, 'blobs', 'sha256'), { recursive: true });
    writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    writeFileSync(join(layout, 'index.json'), JSON.stringify(await describe(image, layout)));
    const half = `${layout}.tar`;
    await run('tar', ['-C', layout, '-cf', half, 'oci-layout', 'index.json', 'blobs']);
    renameSync(half, target);
  } finally {
    rmSync(layout, { recursive: true });
  }
}

async function describe({ name, layers, config }: Image, layout: string): Promise<object> {
  const packed: Blob[] = [];
  for (const layer of layers) packed.push(await addFile(layout, layer));
  const settings = addJson(layout, {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: packed.map((layer) => layer.digest) },
  });
  const manifest = addJson(layout, {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...settings },
    layers: packed.map((layer) => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer })),
  });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const annotations = { 'io.containerd.image.name': name };
  return { schemaVersion: 2, manifests: [{ mediaType, ...manifest, annotations }] };
}

async function addFile(layout: string, path: string): Promise<Blob> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const digest = hash.digest('hex');
  copyFileSync(path, blobPath(layout, digest), constants.COPYFILE_FICLONE);
  return { digest: `sha256:${digest}`, size: statSync(path).size };
}

function addJson(layout: string, value: object): Blob {
  const text = JSON.stringify(value);
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(blobPath(layout, digest), text);
  return { digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

function blobPath(layout: string, digest: string): string {
  return join(layout, 'blobs', 'sha256', digest);
}

/** Runs `make` with an empty folder that is gone afterwards. */
export async function inScratch<T>(make: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'temper-image-'));
  try {
    return await make(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
