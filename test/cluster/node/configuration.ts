/** The configuration files of a cluster: the templates of ../conf, filled in, and the specification that every container begins with. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostMount } from '../images/host-python.ts';
import { imageNames } from '../images/basic-images.ts';
import type { Binaries } from '../machine/binaries.ts';
import type { SlotPlaces } from '../machine/places.ts';
import { run } from '../machine/programs.ts';

const templates = join(import.meta.dirname, '..', 'conf');

/** Folder and name of each file in the cluster's folder, by its template. */
const targets = {
  Corefile: 'Corefile',
  'containerd.toml': 'containerd.toml',
  'kubelet.yaml': 'kubelet.yaml',
  'network.conflist': 'network/10-temper.conflist',
};

export interface Configured {
  readonly binaries: Binaries;
  readonly mounts: readonly HostMount[];
}

export async function writeConfiguration(places: SlotPlaces, { binaries, mounts }: Configured): Promise<void> {
  const values = {
    FOLDER: places.folder,
    NODE_ADDRESS: places.nodeAddress,
    POD_NETWORK: places.podNetwork,
    CNI_PLUGINS: binaries.cniPlugins,
    PAUSE_IMAGE: imageNames.pause,
  };
  for (const folder of ['network', 'kubelet', 'volumes']) mkdirSync(join(places.folder, folder), { recursive: true });
  for (const [template, target] of Object.entries(targets)) {
    writeFileSync(join(places.folder, target), fillIn(readFileSync(join(templates, template), 'utf8'), values));
  }
  writeFileSync(join(places.folder, 'resolv.conf'), `nameserver ${places.nodeAddress}\n`);
  const proposed = await run(join(binaries.folder, 'system', 'usr', 'bin', 'ctr'), ['oci', 'spec']);
  writeFileSync(join(places.folder, 'runtime-spec.json'), runtimeSpec(proposed, mounts));
}

/** Puts a value in the place of each `@NAME@`. Throws for a name that has none. */
export function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`a template asks for ${name}, which has no value`);
    return value;
  });
}

/**
 * What every container of the node begins with: folders of the host, read-only, also where Pod Security allows no hostPath; and the limits
 * of the runtime, not the 1,024 open files that containerd's own proposal has.
 */
export function runtimeSpec(proposed: string, mounts: readonly HostMount[]): string {
  const spec = JSON.parse(proposed) as { process: Record<string, unknown>; mounts: object[] };
  const { rlimits: _, ...process } = spec.process;
  const readOnly = { type: 'bind', options: ['rbind', 'ro', 'nosuid', 'nodev'] };
  return JSON.stringify({
    ...spec,
    process,
    mounts: [...spec.mounts, ...mounts.map((mount) => ({ ...mount, ...readOnly }))],
  });
}
