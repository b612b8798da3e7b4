/**
 * What an attempt does otherwise than the first of its phase: all that earlier failures changed, until the phase ends.
 *
 * Covers adding up decisions. Does not cover making them (retry.ts) or carrying them out (trainers, backends, resume-point.ts).
 */
import type { BatchShape } from './memory-ladder.ts';
import { type SuspectNode, whySuspect } from './node-memory.ts';
import type { RollBack } from './resume-point.ts';
import type { RetryDecision } from './retry.ts';

/** At most one of each kind but roll-backs, of which each stays. */
export type AttemptChange =
  | {
      readonly kind: 'micro-batch';
      /** As the recipe has it. */
      readonly from: BatchShape;
      readonly to: BatchShape;
    }
  /** What the job asks for, times this. */
  | { readonly kind: 'memory' | 'shared-memory'; readonly factor: number }
  | {
      readonly kind: 'avoid-nodes';
      readonly nodes: readonly string[];
      /** Of nodes that failed under other phases and pipelines: why. Absent where the phase's own failures are all there is. */
      readonly because?: Readonly<Record<string, string>>;
    }
  | ({ readonly kind: 'roll-back' } & RollBack);

/** A decision with the attempt whose end it followed. */
export interface DecidedAfter {
  readonly attempt: number;
  readonly decision: RetryDecision;
}

/** All changes that these decisions add up to, oldest decision first. A person's release takes none of them back. */
export function changesAfter(decisions: readonly DecidedAfter[]): readonly AttemptChange[] {
  const cuts = decisions.flatMap(({ decision: { change } }) => (change?.kind === 'micro-batch' ? [change] : []));
  const [firstCut, lastCut] = [cuts[0], cuts.at(-1)];
  const nodes = [...new Set(decisions.flatMap(({ decision }) => decision.avoidNodes))].sort();
  return [
    ...(firstCut && lastCut ? [{ kind: 'micro-batch' as const, from: firstCut.from, to: lastCut.to }] : []),
    ...(['memory', 'shared-memory'] as const).flatMap((kind) => greatestOf(decisions, kind)),
    ...(nodes.length > 0 ? [{ kind: 'avoid-nodes' as const, nodes }] : []),
    ...rollBacksOf(decisions).map((rollBack) => ({ kind: 'roll-back' as const, ...rollBack })),
  ];
}

/** What the roll-backs among these decisions do not trust any more. */
export function rollBacksOf(decisions: readonly DecidedAfter[]): readonly RollBack[] {
  return decisions.flatMap(({ attempt, decision }) =>
    decision.kind === 'roll-back' ? [{ before: decision.rollBackBefore, upToAttempt: attempt }] : [],
  );
}

/** The same, also away from nodes that failed under whatever phase. */
export function alsoAwayFrom(
  changes: readonly AttemptChange[],
  suspects: readonly SuspectNode[],
): readonly AttemptChange[] {
  if (suspects.length === 0) return changes;
  const nodes = [...new Set([...nodesAvoidedAfter(changes), ...suspects.map(({ node }) => node)])].sort();
  const because = Object.fromEntries(suspects.map((suspect) => [suspect.node, whySuspect(suspect)]));
  return [...changes.filter(({ kind }) => kind !== 'avoid-nodes'), { kind: 'avoid-nodes', nodes, because }];
}

/** How a batch is cut after these changes. */
export function batchAfter(changes: readonly AttemptChange[], batch: BatchShape | null): BatchShape | null {
  return changes.find((change) => change.kind === 'micro-batch')?.to ?? batch;
}

/** What a job asks for, times this. */
export function factorAfter(changes: readonly AttemptChange[], kind: 'memory' | 'shared-memory'): number {
  for (const change of changes) if (change.kind === kind) return change.factor;
  return 1;
}

/** Nodes that a job keeps away from, where it can. */
export function nodesAvoidedAfter(changes: readonly AttemptChange[]): readonly string[] {
  return changes.flatMap((change) => (change.kind === 'avoid-nodes' ? change.nodes : []));
}

function greatestOf(decisions: readonly DecidedAfter[], kind: 'memory' | 'shared-memory'): AttemptChange[] {
  const factors = decisions.flatMap(({ decision: { change } }) => (change?.kind === kind ? [change.factor] : []));
  return factors.length === 0 ? [] : [{ kind, factor: Math.max(...factors) }];
}
