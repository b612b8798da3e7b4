/**
 * Deletes the checkpoints of a pipeline that may go, or says which would. Temper alone deletes checkpoints.
 *
 * Covers gathering what keeps a checkpoint, recording what goes, and deleting it. Does not cover the rule (decisions/prune.ts) or pins (store/ledger/pins.ts).
 */
import { createHash } from 'node:crypto';
import { choosePrunable, type GoReason, type KeepReason, type PruneCandidate } from '../decisions/prune.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { DecisionRecord } from '../store/ledger/decisions.ts';
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

/** As the ledger keeps it; older prunings have no path. */
export type DecidedPruning = Pick<GoingCheckpoint, 'id' | 'bytes' | 'why'> & Partial<Pick<GoingCheckpoint, 'path'>>;

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

/**
 * Deletes what may go. What is to go is written down before the first file does, so that no deletion is without its decision, however it
 * ends; again, it goes on. What a person pins meanwhile stays.
 */
export async function prune(places: LedgerAndStore, scope: PruneScope, at: Date): Promise<PruningOfPipeline> {
  const pruning = await pruningOf(places, scope);
  for (const { path } of pruning.leftovers) await places.store.deleteLeftover(path);
  const go: GoingCheckpoint[] = [];
  for (const group of Map.groupBy(pruning.go, ({ runId, phase }) => `${runId}/${phase}`).values()) {
    const given = await giveUp(places, group, at);
    await deleteAll(places, given, at);
    go.push(...given);
  }
  const gone = new Set(go);
  const pinned = pruning.go.filter((checkpoint) => !gone.has(checkpoint));
  const freedBytes = [...go, ...pruning.leftovers].reduce((sum, { bytes }) => sum + bytes, 0);
  const stay = [...pruning.stay, ...pinned.map(({ id }) => ({ id, why: { rule: 'pinned' as const } }))];
  return { ...pruning, go, stay, freedBytes };
}

type OfOnePhase = readonly GoingCheckpoint[];

/** One decision a run, phase and pruning, so that `temper explain` tells where checkpoints went. */
async function giveUp({ ledger }: LedgerAndStore, group: OfOnePhase, at: Date): Promise<OfOnePhase> {
  const ids = group.map(({ id }) => id);
  const decisionOn = (fresh: readonly string[]) => {
    const named = group.filter(({ id }) => fresh.includes(id));
    return decisionAbout(named, { question: 'prune', evidence: null, at });
  };
  const { go } = await ledger.giveUpCheckpoints(ids, decisionOn, at.toISOString());
  return group.filter(({ id }) => go.includes(id));
}

/** Throws what the store throws, when it is written down which are there still. */
async function deleteAll({ ledger, store }: LedgerAndStore, given: OfOnePhase, at: Date): Promise<void> {
  for (const [index, { path }] of given.entries()) {
    try {
      await store.deleteCheckpoint(path);
    } catch (error) {
      const left = given.slice(index);
      const evidence = { problem: error instanceof Error ? error.message : String(error) };
      await ledger.takeBackCheckpoints(
        left.map(({ id }) => id),
        decisionAbout(left, { question: 'not-pruned', evidence, at }),
      );
      throw error;
    }
  }
}

function decisionAbout(
  group: OfOnePhase,
  {
    question,
    evidence,
    at,
  }: { readonly question: 'prune' | 'not-pruned'; readonly evidence: unknown; readonly at: Date },
): DecisionRecord {
  const [first] = group;
  const { runId = '', phase = '' } = first ?? {};
  const answer = group.map(({ id, bytes, why, path }): DecidedPruning => ({ id, bytes, why, path }));
  const digest = createHash('sha256')
    .update(JSON.stringify([answer, at]))
    .digest('hex')
    .slice(0, 16);
  const key = `${runId}/${phase}/${question}/${digest}`;
  return { key, runId, phase, attempt: null, question, answer, evidence, at: at.toISOString() };
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
