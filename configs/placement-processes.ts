/**
 * Nodes and GPUs of a profile that a phase cannot use: which kinds several processes train together, and whether they can share a step's
 * rows evenly; of commands, whether each process has its GPU.
 *
 * Does not cover how programs of the profile or the recipe (`command`) share their work: as they like.
 */
import { batchOfPhase } from '../decisions/batch-of-phase.ts';
import type { CommandPhase } from '../decisions/command-line.ts';
import { placingOf } from './job-needs.ts';
import type { Misfit } from './problems.ts';
import type { KubernetesProfile } from './schema-profile.ts';
import type { Phase } from './schema.ts';

/** Kinds whose batches several processes share: trainers/temper_trainers/kinds.py has the same. */
export const kindsTogether: readonly string[] = ['sft', 'drgrpo', 'orpo'];

/** Of the phase's own job, and of the jobs beside it. */
export function misfitsOfProcesses(phase: Phase, profile: KubernetesProfile): Misfit[] {
  const own = phase.kind === 'command' ? 'seal' : phase.kind;
  const kinds = phase.evaluate === undefined ? [own] : [own, 'evaluate'];
  const beside = kinds.flatMap((kind) => misfitOfJob(phase, kind, profile) ?? []);
  return phase.kind === 'command' ? [...misfitsOfCommand(phase, profile), ...beside] : beside;
}

/**
 * Each process trains on a GPU of its own and writes a part of every checkpoint: of fewer processes none would ever be whole. Roles count
 * as they like; where a pod has no GPU, so does the command.
 */
function misfitsOfCommand({ name: phase, kind, params }: CommandPhase, profile: KubernetesProfile): Misfit[] {
  const { nodes, gpus } = placingOf(profile, { phase, kind });
  if (params.roles !== undefined || gpus === 0 || params.processes <= nodes * gpus) return [];
  const message = `is ${String(params.processes)}, and profile "${profile.name}" has GPUs for ${String(nodes * gpus)} (nodes × gpus of jobs.${phase} or jobs.${kind}): change either, and what the command says of them`;
  return [{ path: ['params', 'processes'], message, of: 'value' }];
}

function misfitOfJob(phase: Phase, kind: string, profile: KubernetesProfile): Misfit | null {
  const { command, nodes, gpus } = placingOf(profile, { phase: phase.name, kind });
  const processes = nodes * Math.max(1, gpus);
  if (command !== null || processes === 1) return null;
  const where = `profile "${profile.name}"`;
  if (!kindsTogether.includes(kind)) {
    if (nodes === 1) return null;
    const message = `has jobs of kind ${kind}, to which ${where} gives ${String(nodes)} nodes, and only ${kindsTogether.join(', ')} are trained by several: set jobs.${kind}.nodes to 1`;
    return { path: [], message, of: 'value' };
  }
  const rows = batchOfPhase(phase)?.microBatch ?? 0;
  if (rows % processes === 0) return null;
  const message = `make steps of ${String(rows)} rows, which the ${String(processes)} processes of ${where} (nodes × gpus of jobs.${kind}) cannot share evenly: change either`;
  return { path: ['params'], message, of: 'value' };
}
