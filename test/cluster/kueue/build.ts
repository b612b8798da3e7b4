/** Kueue's program, built once with Go and kept like the cluster's own binaries, with the definitions of its kinds and its webhooks. */
import { copyFileSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildContext, buildWithGo, ensureKept } from '../machine/kept-build.ts';
import { run } from '../machine/programs.ts';

const modules = join(import.meta.dirname, 'go');
const kueue = { module: 'kueue', target: 'sigs.k8s.io/kueue/cmd/kueue', flags: ['-s', '-w'] };

export interface Kueue {
  readonly program: string;
  /** Files of CustomResourceDefinitions. */
  readonly definitions: readonly string[];
  /** Text of its webhook configurations, as for a Service in the cluster. */
  readonly webhooks: string;
}

/** Takes 6 minutes of two cores the first time. Rejects with a SetupProblem. */
export async function ensureKueue(context: BuildContext): Promise<Kueue> {
  const folder = await ensureKept(context, {
    modules,
    steps: [JSON.stringify(kueue)],
    announcement: 'Building Kueue, once: 6 minutes on 2 idle cores',
    async make(half) {
      await buildWithGo(context, kueue, { source: modules, output: join(half, kueue.module) });
      const asked = ['-C', modules, 'list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kueue'];
      const source = await run('go', asked, { environment: { ...context.environment, GOTOOLCHAIN: 'local' } });
      const components = join(source.trim(), 'config', 'components');
      cpSync(join(components, 'crd', 'bases'), join(half, 'definitions'), { recursive: true });
      copyFileSync(join(components, 'webhook', 'manifests.yaml'), join(half, 'webhooks.yaml'));
    },
  });
  const definitions = join(folder, 'definitions');
  return {
    program: join(folder, kueue.module),
    definitions: readdirSync(definitions).map((name) => join(definitions, name)),
    webhooks: readFileSync(join(folder, 'webhooks.yaml'), 'utf8'),
  };
}
