/** Images without Python: `pause`, which holds a pod's namespaces, and `busybox`, a shell for pods that train nothing. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inScratch, packLayer, writeImage } from './oci-image.ts';
import type { ImageConfig } from './oci-image.ts';
import { makeRootFilesystem } from './root-filesystem.ts';

/** By what names the images are known on the node of a test cluster. */
export const imageNames = {
  pause: 'temper.test/pause:1',
  busybox: 'temper.test/busybox:1',
  trainer: 'temper.test/trainer:1',
  worker: 'temper.test/worker:1',
} as const;

export interface BasicImagePlaces {
  readonly busybox: string;
  readonly images: string;
}

/** Writes both into `images`. */
export async function makeBasicImages({ busybox, images }: BasicImagePlaces): Promise<void> {
  mkdirSync(images, { recursive: true });
  const make = async (name: 'pause' | 'busybox', fill: (root: string) => Promise<void>, config: ImageConfig) => {
    await inScratch(async (scratch) => {
      const root = join(scratch, 'root');
      mkdirSync(root, { mode: 0o755 });
      await fill(root);
      const layer = join(scratch, 'layer.tar');
      await packLayer(root, layer);
      await writeImage({ name: imageNames[name], layers: [layer], config }, join(images, `${name}.tar`));
    });
  };
  // A sandbox is ended by SIGKILL, so whatever never ends will do.
  const sleep = (root: string) => {
    mkdirSync(join(root, 'bin'));
    copyFileSync(busybox, join(root, 'bin', 'sleep'));
    return Promise.resolve();
  };
  await make('pause', sleep, { Entrypoint: ['/bin/sleep', '2147483647'] });
  await make('busybox', (root) => makeRootFilesystem(root, busybox), { Cmd: ['/bin/sh'], Env: ['PATH=/bin'] });
}
