/**
 * The trainers' image without Docker: what trainers/image/Dockerfile copies and sets, on busybox and the shared libraries that the host's
 * Python needs. Python itself and its packages are mounted from the host (host-python.ts), read-only.
 *
 * Tars are kept in the cache under the digest of what went into them; the newest few stay.
 */
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { alone } from '../../../scripts/setup/lock.mjs';
import { readJson } from '../../../scripts/setup/record.mjs';
import type { Binaries } from '../machine/binaries.ts';
import type { BuildContext } from '../machine/kept-build.ts';
import { imageNames } from './basic-images.ts';
import { describeImage } from './dockerfile.ts';
import type { DescribedImage } from './dockerfile.ts';
import type { HostPython } from './host-python.ts';
import { digest, digestOfTree, isSource, keepNewest } from './kept-tars.ts';
import { libraryClosure } from './library-closure.ts';
import { inScratch, packLayer, writeImage } from './oci-image.ts';
import { makeRootFilesystem } from './root-filesystem.ts';

const kept = 4;

interface Work {
  readonly context: BuildContext;
  readonly binaries: Binaries;
  readonly python: HostPython;
}

/** Path of the image's tar; makes it when the cache has none of today's contents. */
export async function ensureTrainerImage(work: Work): Promise<string> {
  const { context, binaries, python } = work;
  const dockerfile = readFileSync(join(context.places.trainers, 'image', 'Dockerfile'), 'utf8');
  const described = describeImage(dockerfile);
  const packages = markOf(python);
  const libraries = join(context.places.cache, 'libraries', `${digest([basename(binaries.folder), packages])}.tar`);
  const contents = described.copied.map(({ from }) => digestOfTree(join(context.places.trainers, from)));
  const target = join(context.places.cache, 'trainer', `${digest([libraries, dockerfile, ...contents])}.tar`);
  if (existsSync(target)) return target;
  await alone(context, async () => {
    if (!existsSync(libraries)) await packLibraries(work, libraries);
    if (!existsSync(target)) await assemble(context.places.trainers, described, { libraries, target });
    for (const path of [libraries, target]) keepNewest(dirname(path), kept);
  });
  return target;
}

async function packLibraries({ binaries, python, context }: Work, target: string): Promise<void> {
  context.say('Collecting the shared libraries of the trainers’ Python, once.');
  mkdirSync(dirname(target), { recursive: true });
  const paths = await libraryClosure([...python.prefixes, python.environment], [python.program]);
  await inScratch(async (scratch) => {
    const root = join(scratch, 'root');
    mkdirSync(root);
    await makeRootFilesystem(root, binaries.busybox);
    for (const path of paths) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      copyFileSync(path, join(root, path));
    }
    const half = `${target}.half`;
    await packLayer(root, half);
    renameSync(half, target);
  });
}

interface Tars {
  readonly libraries: string;
  readonly target: string;
}

async function assemble(trainers: string, image: DescribedImage, { libraries, target }: Tars): Promise<void> {
  await inScratch(async (scratch) => {
    const root = join(scratch, 'root');
    for (const { from, to, mode } of image.copied) {
      const path = join(root, to);
      cpSync(join(trainers, from), path, { recursive: true, filter: isSource });
      if (mode !== undefined) chmodSync(path, mode);
    }
    const own = join(scratch, 'own.tar');
    await packLayer(root, own);
    const config = {
      Entrypoint: image.entrypoint,
      Env: Object.entries(image.environment).map(([name, value]) => `${name}=${value}`),
      User: image.user,
      WorkingDir: image.folder,
    };
    await writeImage({ name: imageNames.trainer, layers: [libraries, own], config }, target);
  });
}

/** Which interpreter, and which packages by what set-up wrote when they were whole. */
function markOf({ environment, program }: HostPython): string {
  const mark = readJson(join(environment, '.temper-complete.json')) as Record<string, unknown> | undefined;
  const packages = mark === undefined ? statSync(environment).mtimeMs : [mark['lock'], mark['flavour']];
  return JSON.stringify([program, packages]);
}
