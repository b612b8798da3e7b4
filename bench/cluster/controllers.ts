/**
 * The programs of others that the bench of a cluster needs, built once with Go and kept like the cluster's own: kwok, whose nodes and pods
 * only pretend, and Argo Workflows with the image of its executor.
 *
 * Built only when they are asked for: kwok takes about 2 minutes of two cores, Argo 6. Does not cover starting them.
 */
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inScratch, packLayer, writeImage } from '../../test/cluster/images/oci-image.ts';
import { makeRootFilesystem } from '../../test/cluster/images/root-filesystem.ts';
import { ensureBinaries } from '../../test/cluster/machine/binaries.ts';
import { type BuildContext, buildWithGo, ensureKept } from '../../test/cluster/machine/kept-build.ts';
import { run } from '../../test/cluster/machine/programs.ts';

const modules = join(import.meta.dirname, 'go');
const flags = ['-s', '-w'];

const kwok = { module: 'kwok', target: 'sigs.k8s.io/kwok/cmd/kwok', flags };

/** The program `kwok`. Rejects with a SetupProblem. */
export async function ensureKwok(context: BuildContext): Promise<string> {
  const folder = await ensureKept(context, {
    modules: join(modules, 'kwok'),
    steps: [JSON.stringify(kwok)],
    announcement: 'Building kwok, once: 2 minutes on 2 idle cores',
    make: (half) => buildWithGo(context, kwok, { source: join(modules, kwok.module), output: join(half, kwok.module) }),
  });
  return join(folder, kwok.module);
}

const argoModule = 'github.com/argoproj/argo-workflows/v4';
export const argoVersion = 'v4.0.5';
const argo = ['workflow-controller', 'argoexec'].map((module) => ({
  module,
  target: `${argoModule}/cmd/${module}`,
  flags,
}));

export const argoExecutorImage = 'temper.test/argoexec:1';

export interface Argo {
  readonly controller: string;
  /** Tar of the image `argoExecutorImage`. */
  readonly executor: string;
  /** Definitions of its kinds, one file each. */
  readonly definitions: readonly string[];
}

/** Rejects with a SetupProblem. */
export async function ensureArgo(context: BuildContext): Promise<Argo> {
  const folder = await ensureKept(context, {
    modules: join(modules, 'argo'),
    steps: argo.map((build) => JSON.stringify(build)),
    announcement: 'Building Argo Workflows, once: 6 minutes on 2 idle cores',
    make: (half) => buildArgo(context, half),
  });
  const definitions = join(folder, 'definitions');
  return {
    controller: join(folder, 'workflow-controller'),
    executor: join(folder, 'argoexec.tar'),
    definitions: readdirSync(definitions).map((name) => join(definitions, name)),
  };
}

/** The module as the proxy serves it lacks one file, without which it does not build on Linux: the one for macOS does as well. */
async function buildArgo(context: BuildContext, half: string): Promise<void> {
  const source = join(half, 'source');
  mkdirSync(source);
  await copyModule(context, join(source, 'argo-workflows'));
  const signals = join(source, 'argo-workflows', 'workflow', 'executor', 'osspecific');
  copyFileSync(join(signals, 'signal_darwin.go'), join(signals, 'signal_linux.go'));
  for (const name of ['go.mod', 'go.sum']) copyFileSync(join(modules, 'argo', name), join(source, name));
  for (const one of argo) await buildWithGo(context, one, { source, output: join(half, one.module) });
  await makeExecutorImage(context, half);
  const definitions = join(source, 'argo-workflows', 'manifests', 'base', 'crds', 'minimal');
  mkdirSync(join(half, 'definitions'));
  for (const name of readdirSync(definitions).filter((file) => file.startsWith('argoproj.io_')))
    copyFileSync(join(definitions, name), join(half, 'definitions', name));
  rmSync(source, { recursive: true });
}

/** Checked against go.sum here: Go itself takes a replaced module as it is. */
async function copyModule({ environment }: BuildContext, target: string): Promise<void> {
  const asked = ['mod', 'download', '-json', `${argoModule}@${argoVersion}`];
  const { Dir, Sum } = JSON.parse(
    await run('go', asked, { folder: '/', environment: { ...environment, GOTOOLCHAIN: 'local' } }),
  ) as { Dir: string; Sum: string };
  const sums = readFileSync(join(modules, 'argo', 'go.sum'), 'utf8');
  if (!sums.includes(`${argoModule} ${argoVersion} ${Sum}\n`)) throw new Error(`${argoModule} is not what go.sum says`);
  cpSync(Dir, target, { recursive: true });
  await run('chmod', ['-R', 'u+w', target]);
}

/** A shell for its own steps, and the program that Argo puts into every pod. */
async function makeExecutorImage(context: BuildContext, half: string): Promise<void> {
  const { busybox } = await ensureBinaries(context);
  await inScratch(async (scratch) => {
    const root = join(scratch, 'root');
    mkdirSync(root, { mode: 0o755 });
    await makeRootFilesystem(root, busybox);
    copyFileSync(join(half, 'argoexec'), join(root, 'bin', 'argoexec'));
    chmodSync(join(root, 'bin', 'argoexec'), 0o755);
    const layer = join(scratch, 'layer.tar');
    await packLayer(root, layer);
    const config = { Entrypoint: ['argoexec'], Env: ['PATH=/bin'] };
    await writeImage({ name: argoExecutorImage, layers: [layer], config }, join(half, 'argoexec.tar'));
  });
}
