/**
 * The last checkpoint of each phase of a run, and whether two runs of the same recipe ended with the same bytes.
 *
 * Compares what training goes on from: weights, optimizers, schedulers, random state. Does not compare files that hold paths or times.
 */
import { join } from 'node:path';
import type { Ledger } from '../../store/ledger/ledger.ts';
import { filesBelow, hashFile } from '../../store/seal.ts';

/** Path of the last checkpoint by phase; of a phase that was reused, that of the run which trained it. */
export async function lastCheckpoints(ledger: Ledger, runId: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { phase, promoted, state } of await ledger.phasesOf(runId)) {
    const checkpoint = promoted === null ? null : await ledger.checkpoint(promoted);
    const from = state === 'reused' && checkpoint !== null ? checkpoint : { runId, phase };
    const all = await ledger.checkpointsOf({ runId: from.runId, phase: from.phase });
    const last = all.toSorted((one, other) => one.step - other.step || one.attempt - other.attempt).at(-1);
    if (last !== undefined) found.set(phase, last.path);
  }
  return found;
}

/** A finished run of the same recipe, the newest; null when there is none. */
export async function finishedRunOf(
  ledger: Ledger,
  wish: { readonly workflowId: string; readonly identity: string },
): Promise<string | null> {
  const runs = await ledger.pipelines({ workflowId: wish.workflowId, limit: 1000 });
  return runs.find(({ outcome, identity }) => outcome === 'completed' && identity === wish.identity)?.runId ?? null;
}

export interface Comparison {
  /** Files that were compared. */
  readonly files: readonly string[];
  /** Those of them that differ, or that only one has. */
  readonly different: readonly string[];
}

const state = /\.safetensors$|^(optimizer|scheduler|scaler|state)\.pt$|^rng_state(_\d+)?\.pth$/;

export async function compareCheckpoints(one: string, other: string): Promise<Comparison> {
  const [ours, theirs] = await Promise.all([digestsOf(one), digestsOf(other)]);
  const files = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return { files, different: files.filter((file) => ours.get(file) !== theirs.get(file)) };
}

async function digestsOf(checkpoint: string): Promise<ReadonlyMap<string, string>> {
  const files = (await filesBelow(checkpoint)).filter((file) => state.test(file));
  const digests = files.map(async (file) => [file, (await hashFile(join(checkpoint, file))).sha256] as const);
  return new Map(await Promise.all(digests));
}
