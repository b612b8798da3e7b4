/**
 * The worker's image without Docker: what k8s/deploy/image/Dockerfile copies and sets, with this checkout's own packages (those that the
 * product needs) and Node, on busybox and the shared libraries that they ask for; and the bundle of the workflows, made inside.
 *
 * Tars are kept in the cache under the digest of what went into them; the newest few stay.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { alone } from '../../../scripts/setup/lock.mjs';
import type { Binaries } from '../machine/binaries.ts';
import type { BuildContext } from '../machine/kept-build.ts';
import { run } from '../machine/programs.ts';
import { imageNames } from './basic-images.ts';
import { type DescribedImage, describeImage } from './dockerfile.ts';
import { digest, digestOfTree, isSource, keepNewest } from './kept-tars.ts';
import { libraryClosure } from './library-closure.ts';
import { inScratch, packLayer, writeImage } from './oci-image.ts';
import { makeRootFilesystem } from './root-filesystem.ts';

const kept = 2;
const home = '/opt/temper';
/** Of Temporal's own library, as its folders are called. */
const platform = `${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-unknown-linux-gnu`;

/** Path of the image's tar; makes it when the cache has none of today's contents. */
export async function ensureWorkerImage(context: BuildContext, binaries: Binaries): Promise<string> {
  const { repository, cache } = context.places;
  const dockerfile = readFileSync(join(repository, 'k8s', 'deploy', 'image', 'Dockerfile'), 'utf8');
  const described = describeImage(dockerfile);
  const contents = described.copied.map(({ from }) => digestOfTree(join(repository, from)));
  const packages = readFileSync(join(repository, 'node_modules', '.package-lock.json'), 'utf8');
  const key = digest([basename(binaries.folder), process.version, dockerfile, packages, ...contents]);
  const target = join(cache, 'worker', `${key}.tar`);
  if (existsSync(target)) return target;
  await alone(context, async () => {
    if (!existsSync(target)) await assemble({ repository, busybox: binaries.busybox, target }, described);
    keepNewest(dirname(target), kept);
  });
  return target;
}

interface Assembly {
  readonly repository: string;
  readonly busybox: string;
  readonly target: string;
}

async function assemble({ repository, busybox, target }: Assembly, image: DescribedImage): Promise<void> {
  await inScratch(async (scratch) => {
    const root = join(scratch, 'root');
    mkdirSync(root);
    await makeRootFilesystem(root, busybox);
    const node = join(root, 'usr', 'local', 'bin', 'node');
    mkdirSync(dirname(node), { recursive: true });
    copyFileSync(realpathSync(process.execPath), node);
    copyPackages(repository, join(root, home));
    for (const { from, to, mode } of image.copied) {
      cpSync(join(repository, from), join(root, to), { recursive: true, filter: isSource });
      if (mode !== undefined) chmodSync(join(root, to), mode);
    }
    for (const path of await librariesOf(join(root, home, 'node_modules'), node)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      copyFileSync(path, join(root, path));
    }
    await bundleWorkflows(root);
    const layer = join(scratch, 'layer.tar');
    await packLayer(root, layer);
    await writeImage({ name: imageNames.worker, layers: [layer], config: configOf(image) }, target);
  });
}

/** In the image's own tree, since a bundle is named by the paths that it is made of. It sees its processes, and of the machine nothing. */
async function bundleWorkflows(root: string): Promise<void> {
  const node = `/usr/local/bin/node --disable-warning=ExperimentalWarning ${home}/scripts/build.ts`;
  const script = `mount -t proc proc "$1/proc" && exec chroot "$1" ${node}`;
  await run('unshare', ['--mount', 'sh', '-ec', script, 'sh', root], { environment: { PATH: process.env['PATH'] } });
}

/** What is installed here and is no development package: what `npm ci --omit=dev` installs. */
function copyPackages(repository: string, target: string): void {
  const { packages } = JSON.parse(readFileSync(join(repository, 'node_modules', '.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: true }>>;
  };
  const isOthers = (path: string) => path.includes('/core-bridge/releases/') && !path.includes(platform);
  for (const [path, { dev }] of Object.entries(packages)) {
    const folder = join(repository, path);
    if (dev === true || !existsSync(folder)) continue;
    // Packages within packages have entries of their own.
    const filter = (from: string) => !from.slice(folder.length).includes('/node_modules') && !isOthers(from);
    cpSync(folder, join(target, path), { recursive: true, filter });
  }
}

async function librariesOf(packages: string, node: string): Promise<readonly string[]> {
  const addons = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.node'))
    .map((path) => join(packages, path));
  return await libraryClosure([], [node, ...addons]);
}

function configOf(image: DescribedImage) {
  return {
    Entrypoint: image.entrypoint,
    Env: ['PATH=/usr/local/bin:/bin', ...Object.entries(image.environment).map(([name, value]) => `${name}=${value}`)],
    User: image.user,
    WorkingDir: image.folder,
  };
}
