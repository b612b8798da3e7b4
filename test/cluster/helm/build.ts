/** Helm's program, built once with Go and kept like the cluster's own binaries. */
import { join } from 'node:path';
import { type BuildContext, buildWithGo, ensureKept } from '../machine/kept-build.ts';

const modules = join(import.meta.dirname, 'go');
const helm = { module: 'helm', target: 'helm.sh/helm/v4/cmd/helm', flags: ['-s', '-w'] };

/** Path of the program. Takes 2 minutes of two cores the first time. Rejects with a SetupProblem. */
export async function ensureHelm(context: BuildContext): Promise<string> {
  const folder = await ensureKept(context, {
    modules,
    steps: [JSON.stringify(helm)],
    announcement: 'Building Helm, once: 2 minutes on 2 cores',
    make: (half) => buildWithGo(context, helm, { source: modules, output: join(half, helm.module) }),
  });
  return join(folder, helm.module);
}
