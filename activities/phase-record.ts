/** The phase's row in the ledger: what it trains and where it stands. */
import { createHash } from 'node:crypto';
import type { Phase } from '../configs/schema.ts';
import { argumentsOf } from '../decisions/command-line.ts';
import { identityText } from '../decisions/identity.ts';
import { isOutside } from '../decisions/outside-benchmark.ts';
import type { PhaseState } from '../decisions/states.ts';
import type { CheckpointRef, PhaseContext } from '../workflows/contract.ts';
import type { ActivityDependencies } from './dependencies.ts';

export interface PhaseChange {
  readonly state: PhaseState;
  /** Id of the checkpoint that the next phase starts from. */
  readonly promoted?: string;
  readonly because?: { readonly sentence: string; readonly score: number | null };
}

/** What the identity is made of; a phase that has not begun has these already. */
export interface PhaseToIdentify extends Pick<PhaseContext, 'phase' | 'model' | 'seed' | 'benchmarks' | 'dataDigests'> {
  readonly start: Pick<CheckpointRef, 'digest'> | null;
}

/** What is trained, as text and as the SHA-256 that is looked up. */
export function identityOfPhase(context: PhaseToIdentify): { readonly text: string; readonly digest: string } {
  const { phase, model, seed, benchmarks, dataDigests, start } = context;
  const jsonl = 'data' in phase && 'jsonl' in phase.data ? phase.data.jsonl : null;
  const dataDigest = jsonl === null ? null : (dataDigests[jsonl] ?? null);
  const contents = Object.entries(benchmarks).map(([name, benchmark]) => {
    const digest = !isOutside(benchmark) && 'jsonl' in benchmark.data ? dataDigests[benchmark.data.jsonl] : undefined;
    return [name, { ...benchmark, digest }] as const;
  });
  // What follows a base knows its content by the digest of the checkpoint it starts from.
  const modelDigest = phase.kind === 'base' && 'path' in model ? (dataDigests[model.path] ?? null) : null;
  const fileDigests = filesOf(phase, dataDigests);
  const parts = { phase, model, modelDigest, seed, benchmarks: Object.fromEntries(contents), dataDigest, fileDigests };
  const text = identityText({ ...parts, startDigest: start?.digest ?? null });
  return { text, digest: createHash('sha256').update(text).digest('hex') };
}

/** Of the files that a command names. */
function filesOf(phase: Phase, digests: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (phase.kind !== 'command') return {};
  return Object.fromEntries(
    argumentsOf(phase).flatMap((text) => (digests[text] === undefined ? [] : [[text, digests[text]]])),
  );
}

export async function recordPhase(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  change: PhaseChange,
): Promise<void> {
  const { text, digest } = identityOfPhase(context);
  await dependencies.ledger.upsertPhase({
    workflowId: context.pipelineId,
    runId: context.runId,
    phase: context.phase.name,
    position: context.position,
    kind: context.phase.kind,
    identity: digest,
    identityText: text,
    at: dependencies.now().toISOString(),
    ...change,
  });
}
