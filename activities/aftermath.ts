/**
 * What came of a failed attempt: which attempt followed, from where, where it ran, and how much work was lost.
 *
 * Covers reading records of the ledger. Does not cover the words (decisions/what-happened.ts).
 */
import type { Evidence } from '../decisions/failure.ts';
import type { NextAttempt } from '../decisions/what-happened.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { IncidentRecord } from '../store/ledger/incidents.ts';

/** Of a request, what says where its attempt began. */
interface Resumed {
  readonly resume?: { readonly path: string; readonly step: number } | null;
}

type Following = Pick<AttemptRecord, 'number' | 'request' | 'evidence'>;

/** The first attempt of the same run after the one that failed; null while there is none. Evaluation jobs follow each other in no order. */
export function nextAttemptOf(
  failed: IncidentRecord,
  attempts: readonly Following[],
  checkpoints: readonly CheckpointRecord[],
): NextAttempt | null {
  if (failed.purpose !== 'train') return null;
  const later = attempts.filter(({ number }) => number > failed.incident.attempt);
  const next = later.toSorted((one, other) => one.number - other.number)[0];
  return next === undefined ? null : asNext(failed, next, checkpoints);
}

function asNext(failed: IncidentRecord, next: Following, checkpoints: readonly CheckpointRecord[]): NextAttempt {
  const { resume = null } = (next.request ?? {}) as Resumed;
  return {
    number: next.number,
    resumeStep: resume?.step ?? 0,
    nodes: [...new Set(next.evidence?.ranks.map(({ node }) => node) ?? [])].filter((node) => node !== ''),
    lostSeconds: lostSeconds(failed, checkpoints.find(({ path }) => path === resume?.path) ?? null),
  };
}

/** From the checkpoint, or from the beginning of the attempt that did not add to it, to the end of that attempt. */
function lostSeconds({ incident, evidence, at }: IncidentRecord, from: CheckpointRecord | null): number {
  if (from?.attempt !== incident.attempt) return evidence.ranSeconds;
  return Math.max(0, Math.min(evidence.ranSeconds, (endOf(evidence, at) - Date.parse(from.createdAt)) / 1000));
}

function endOf({ ranks }: Evidence, judgedAt: string): number {
  const ends = ranks.flatMap(({ endedAt }) => (endedAt === null ? [] : [Date.parse(endedAt)]));
  return ends.length === 0 ? Date.parse(judgedAt) : Math.max(...ends);
}
