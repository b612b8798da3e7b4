/**
 * The evidence of failures, as it was kept: what the ledger has of each rank, and what the cluster said, which lies beside the job's files.
 *
 * Covers what fits into one answer: that of the newest failures. Does not cover the words (decisions/evidence-lines.ts).
 */
import { type FailureEvidence, rankEndsInOrder } from '../decisions/evidence-lines.ts';
import type { IncidentRecord } from '../store/ledger/incidents.ts';
import type { RunStore } from '../store/run-store.ts';

export interface KeptFailure {
  readonly record: IncidentRecord;
  /** Of its job; null when it never had one. */
  readonly directory: string | null;
}

export interface EvidenceWish {
  readonly store: Pick<RunStore, 'jobEvidence'>;
  /** What may be told of all of them. Characters. */
  readonly room: number;
}

/** By the failure; `too-much` for one whose evidence does not fit beside that of newer ones. */
export async function evidenceOfFailures(
  failures: readonly KeptFailure[],
  { store, room }: EvidenceWish,
): Promise<ReadonlyMap<IncidentRecord, FailureEvidence | 'too-much'>> {
  const found = new Map<IncidentRecord, FailureEvidence | 'too-much'>();
  let left = room;
  for (const { record, directory } of failures.toSorted((one, other) => other.record.at.localeCompare(one.record.at))) {
    const evidence = {
      ranks: rankEndsInOrder(record.evidence.ranks, record.incident.rank),
      cluster: directory === null ? null : await store.jobEvidence(directory),
    };
    const size = JSON.stringify(evidence).length;
    found.set(record, size <= left ? evidence : 'too-much');
    if (size <= left) left -= size;
  }
  return found;
}
