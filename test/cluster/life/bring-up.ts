/**
 * Brings a cluster up: binaries, images, a slot, namespaces, then the components in the order in which they need each other, until the node
 * is Ready with its GPUs and pods are accepted.
 *
 * When it fails or is stopped it takes down what it made. When it is killed, whoever comes next does.
 */
import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { exitCodes, SetupProblem } from '../../../scripts/setup/problem.mjs';
import { ensureBytecode } from '../images/bytecode.ts';
import { readHostPython } from '../images/host-python.ts';
import { ensureTrainerImage } from '../images/trainer-image.ts';
import { ensureBinaries } from '../machine/binaries.ts';
import type { Binaries } from '../machine/binaries.ts';
import type { BuildContext } from '../machine/kept-build.ts';
import type { SlotPlaces } from '../machine/places.ts';
import { thisMachine } from '../machine/this-machine.ts';
import { missingOn } from '../machine/toolchain.ts';
import { makeCertificates } from '../node/certificates.ts';
import { writeConfiguration } from '../node/configuration.ts';
import { makeNamespaces } from '../node/namespaces.ts';
import { startComponents } from '../node/start-components.ts';
import { claimSlot } from './slots.ts';
import type { ProcessMark } from './state.ts';
import { changeState } from './state.ts';
import { takeDown } from './take-down.ts';

export interface BringUp {
  readonly context: BuildContext;
  /** The Python of the trainers. */
  readonly python: string;
  /** Who takes it down; whoever brings it up, until it is up, when there is nobody. */
  readonly owner: ProcessMark | null;
  readonly self: ProcessMark;
  readonly stop: AbortSignal;
  /** Added to the API server's own, such as those of an audit log. @default none */
  readonly apiServerFlags?: (places: SlotPlaces) => readonly string[];
}

/** Resolves to the places of a cluster that is up. Rejects with a SetupProblem (exit code 69) when this machine lacks something. */
export async function bringUp(given: BringUp): Promise<SlotPlaces> {
  const { context, owner, self, stop, apiServerFlags } = given;
  refuseWithoutToolchain(context.environment);
  const binaries = await ensureBinaries(context);
  const python = readHostPython(given.python);
  const trainer = await ensureTrainerImage({ context, binaries, python });
  await ensureBytecode(python, context.say);
  stop.throwIfAborted();
  const environment = environmentOf(binaries, context.environment);
  const { kubectl } = binaries;
  const places = await claimSlot({ owner: owner ?? self, environment, kubectl, say: context.say });
  try {
    mkdirSync(places.logs, { recursive: true });
    await Promise.all([makeCertificates(places), writeConfiguration(places, { binaries, mounts: python.mounts })]);
    await makeNamespaces(places);
    const images = [...['pause', 'busybox'].map((name) => join(binaries.images, `${name}.tar`)), trainer];
    await startComponents(places, { images, say: context.say, stop, apiServerFlags: apiServerFlags?.(places) ?? [] });
    changeState(places.state, () => ({ phase: 'up', owner }));
  } catch (error) {
    await takeDown(places);
    throw error;
  }
  return places;
}

/** Throws when this machine lacks something. */
export function refuseWithoutToolchain(environment: NodeJS.ProcessEnv): void {
  const missing = missingOn(thisMachine(environment));
  if (missing.length === 0) return;
  throw new SetupProblem(`no Kubernetes cluster can be brought up on this machine, which lacks\n${list(missing)}`, {
    fix: 'bring these, or name another cluster with KUBECONFIG.',
    exitCode: exitCodes.unavailable,
  });
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `    ${line}`).join('\n');
}

/** Of a cluster's processes: our programs before the machine's, and a libseccomp for machines that have none. */
function environmentOf(binaries: Binaries, environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return {
    PATH: [...binaries.path, environment['PATH'] ?? ''].join(delimiter),
    LD_LIBRARY_PATH: binaries.libraries,
  };
}
