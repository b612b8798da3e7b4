/** The chart of this checkout, as Helm sees it: rendered, installed, upgraded, uninstalled. Nothing of the person's own Helm is read. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { repository } from '../../../scripts/repository.ts';
import { buildContext } from '../machine/kept-build.ts';
import { run } from '../machine/programs.ts';
import { ensureHelm } from './build.ts';

export const chartFolder = join(repository, 'k8s', 'deploy', 'chart');
export const manifestsFolder = join(repository, 'k8s', 'deploy', 'manifests');

/** Helm and Kubernetes read this one: `on` is a truth. */
const yaml = { version: '1.1' } as const;

export interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
  readonly rules?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

export type Values = Readonly<Record<string, unknown>>;

export interface Helm {
  /** Standard output; `values` come in by standard input. Rejects with what Helm says. */
  readonly helm: (args: readonly string[], values?: Values) => Promise<string>;
  /** What would be installed. */
  render(values: Values, ...options: readonly string[]): Promise<readonly KubeObject[]>;
  close(): void;
}

export async function openHelm(): Promise<Helm> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const program = await ensureHelm(buildContext(process.env, say));
  const folder = mkdtempSync(join(tmpdir(), 'temper-helm-'));
  const places = ['CACHE', 'CONFIG', 'DATA'].map((what) => [`HELM_${what}_HOME`, join(folder, what.toLowerCase())]);
  const environment = { ...process.env, ...(Object.fromEntries(places) as Record<string, string>) };
  const helm: Helm['helm'] = (args, values) => {
    const input = values === undefined ? undefined : stringify(values, yaml);
    const given = input === undefined ? [] : ['--values', '-'];
    return run(program, [...args, ...given], { environment, ...(input === undefined ? {} : { input }) });
  };
  return {
    helm,
    async render(values, ...options) {
      const text = await helm(['template', 'temper', chartFolder, '--namespace', 'temper', ...options], values);
      return parseAllDocuments(text, yaml).map((document) => document.toJS() as KubeObject);
    },
    close() {
      rmSync(folder, { recursive: true });
    },
  };
}

/** The text of k8s/deploy/manifests/temper.yaml. */
export async function plainManifests({ helm }: Helm): Promise<string> {
  const values = join(manifestsFolder, 'values.yaml');
  const rendered = await helm(['template', 'temper', chartFolder, '--namespace', 'temper', '--values', values]);
  return `# Rendered from the chart by \`npm run manifests\`: change the chart, or values.yaml beside this file.\n${rendered}`;
}
