/**
 * Deletes the checkpoints of a pipeline that may go, or says which would. Temper alone deletes checkpoints.
 *
 * Covers gathering what keeps a checkpoint, deleting, and recording it. Does not cover the rule (decisions/prune.ts).
 */
import { createHash } from 'node:crypto';
import { choosePrunable, type GoReason, type KeepReason, type PruneCandidate } from '../decisions/prune.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import { keepersOf } from './checkpoint-keepers.ts';
import { allCheckpoints, type LedgerAndStore } from './trusted-checkpoints.ts';

export interface PruneScope {
  readonly workflowId: string;
  /** @default every phase that has begun */
  readonly phase?: string | undefined;
}

export interface GoingCheckpoint {
  readonly id: string;
  /** Of the attempt that wrote it. */
  readonly runId: string;
  readonly phase: string;
  readonly path: string;
  readonly bytes: number;
  readonly why: GoReason;
}

/** What may go and what stays, in one or more phases of a pipeline. */
export interface PruningOfPipeline {
  readonly go: readonly GoingCheckpoint[];
  readonly stay: readonly { readonly id: string; readonly why: KeepReason }[];
  /** Folders that killed deletions and killed writers left. */
  readonly leftovers: readonly { readonly path: string; readonly bytes: number }[];
  readonly freedBytes: number;
}

/** Looks, and changes nothing. */
export async function pruningOf(places: LedgerAndStore, scope: PruneScope): Promise<PruningOfPipeline> {
  const attempts = await attemptsOf(places, scope);
  const byPhase = [...Map.groupBy(attempts, ({ phase }) => phase).values()];
  const parts = await Promise.all(byPhase.map((one) => pruningOfPhase(places, one)));
  const go = parts.flatMap((part) => part.go);
  const leftovers = parts.flatMap((part) => part.leftovers);
  const freedBytes = [...go, ...leftovers].reduce((sum, { bytes }) => sum + bytes, 0);
  return { go, stay: parts.flatMap((part) => part.stay), leftovers, freedBytes };
}

/** Deletes what may go, and records what went, also when it fails in the middle. Again, it deletes what may go then. */
export async function prune(places: LedgerAndStore, scope: PruneScope, at: Date): Promise<PruningOfPipeline> {
  const pruning = await pruningOf(places, scope);
  const { go, leftovers } = pruning;
  for (const { path } of leftovers) await places.store.deleteLeftover(path);
  const gone: GoingCheckpoint[] = [];
  try {
    for (const checkpoint of go) {
      await places.store.deleteCheckpoint(checkpoint.path);
      gone.push(checkpoint);
    }
  } finally {
    await recordPruned(places, gone, at);
  }
  return pruning;
}

/** One decision a run, phase and deletion, so that `temper explain` tells where checkpoints went. */
async function recordPruned({ ledger }: LedgerAndStore, go: readonly GoingCheckpoint[], at: Date): Promise<void> {
  for (const group of Map.groupBy(go, ({ runId, phase }) => `${runId}/${phase}`).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { runId, phase } = first;
    const pruned = group.map(({ id, bytes, why }) => ({ id, bytes, why }));
    const digest = createHash('sha256').update(JSON.stringify(pruned)).digest('hex').slice(0, 16);
    await ledger.recordDecision({
      key: `${runId}/${phase}/prune/${digest}`,
      runId,
      phase,
      attempt: null,
      question: 'prune',
      answer: pruned,
      evidence: null,
      at: at.toISOString(),
    });
  }
}

/** Those of this store: a ledger may know those of other profiles' too. */
async function attemptsOf({ ledger, store }: LedgerAndStore, scope: PruneScope): Promise<readonly AttemptRecord[]> {
  const { workflowId, phase } = scope;
  const runs = await ledger.pipelines({ workflowId, limit: 1000 });
  const phases = await Promise.all(runs.map(({ runId }) => ledger.phasesOf(runId)));
  const names = phase === undefined ? [...new Set(phases.flat().map((one) => one.phase))] : [phase];
  const attempts = await Promise.all(names.map((name) => ledger.attemptsOf({ workflowId, phase: name })));
  return attempts.flat().filter(({ directory }) => directory !== null && store.holds(directory));
}

async function pruningOfPhase(
  places: LedgerAndStore,
  attempts: readonly AttemptRecord[],
): Promise<Omit<PruningOfPipeline, 'freedBytes'>> {
  const { store } = places;
  const { checkpoints, rollBacks, untrusted } = await allCheckpoints(places, attempts);
  const keeping = await keepersOf(places, attempts, checkpoints);
  const candidates = await Promise.all(
    checkpoints.map(async (checkpoint): Promise<PruneCandidate> => {
      const attemptDistrusted = untrusted.has(checkpoint.attempt);
      const freedBytes = await store.freedBytes(checkpoint.path);
      return { ...checkpoint, ...keeping(checkpoint), attemptDistrusted, freedBytes };
    }),
  );
  const { go, stay } = choosePrunable(candidates, rollBacks);
  const leftovers = await Promise.all(
    attempts.map(async ({ directory, endedAt }) =>
      directory === null ? [] : await store.leftovers(directory, endedAt !== null),
    ),
  );
  return {
    go: go.map(({ checkpoint: { id, attempt, path, freedBytes }, why }) => {
      const { runId = '', phase = '' } = attempts.find(({ number }) => number === attempt) ?? {};
      return { id, runId, phase, path, bytes: freedBytes, why };
    }),
    stay: stay.map(({ checkpoint: { id }, why }) => ({ id, why })),
    leftovers: await Promise.all(leftovers.flat().map(async (path) => ({ path, bytes: await store.freedBytes(path) }))),
  };
}
