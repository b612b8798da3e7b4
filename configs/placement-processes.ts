/**
 * Nodes and GPUs of a profile that a phase cannot use: which kinds several processes train together, and whether they can share a step's
 * rows evenly.
 *
 * Covers the built-in trainers. Does not cover programs of the profile or the recipe (`command`), which share their work as they like.
 */
import { batchOfPhase } from '../decisions/batch-of-phase.ts';
import { needsOf } from './job-needs.ts';
import type { Misfit } from './problems.ts';
import type { KubernetesProfile } from './schema-profile.ts';
import type { Phase } from './schema.ts';

/** Kinds whose batches several processes share: trainers/temper_trainers/kinds.py has the same. */
export const kindsTogether: readonly string[] = ['sft', 'drgrpo', 'orpo'];

/** Of the phase's own job, and of the jobs beside it. Throws `invalid-input` where the profile names no image for one of them. */
export function misfitsOfProcesses(phase: Phase, profile: KubernetesProfile): Misfit[] {
  const own = phase.kind === 'command' ? 'seal' : phase.kind;
  const kinds = phase.evaluate === undefined ? [own] : [own, 'evaluate'];
  return kinds.flatMap((kind) => misfitOfJob(phase, kind, profile) ?? []);
}

function misfitOfJob(phase: Phase, kind: string, profile: KubernetesProfile): Misfit | null {
  const { command, nodes, gpus } = needsOf(profile, { phase: phase.name, kind });
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
