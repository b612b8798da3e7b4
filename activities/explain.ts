/**
 * Everything that was decided in the newest run of a pipeline: incidents, decisions and verdicts in sentences, with their numbers.
 *
 * Covers reading the ledger in the order in which things happened. Does not cover the words (decisions/) or printing.
 */
import { TemperError } from '../decisions/errors.ts';
import { promotedBy } from '../decisions/hand-promotion.ts';
import type { RetryDecision } from '../decisions/retry.ts';
import type { RunEnd } from '../decisions/run-state.ts';
import type { Aftermath } from '../decisions/what-happened.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { DecisionRecord } from '../store/ledger/decisions.ts';
import type { IncidentRecord } from '../store/ledger/incidents.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { PhaseRecord } from '../store/ledger/phases.ts';
import type { PipelineRecord } from '../store/ledger/pipelines.ts';
import type { RunStore } from '../store/run-store.ts';
import type { ExplainedEvent, ExplainedPhase, Explanation, Question } from '../workflows/contract-questions.ts';
import { nextAttemptOf } from './aftermath.ts';
import { retryKey } from './changes-of-phase.ts';
import { attemptEvent, decisionEvent, incidentEvent, notificationEvent, verdictEvent } from './explained-events.ts';
import { type EvidenceWish, evidenceOfFailures } from './failure-evidence.ts';
import { handPromotionOf } from './hand-promotion.ts';
import { findPhases, workOf } from './named-run.ts';

/** Events of all phases together: about 200 KB at most. */
const mostEvents = 400;
const mostLines = 30;
const longestLine = 400;

/** Evidence of all failures together, as it travels through a workflow's history. Characters. */
const mostEvidence = 400_000;

/** What is asked of a run. The evidence of failures comes where it is asked for, or one attempt is. */
export interface ExplainWish extends Pick<Extract<Question, { question: 'explain' }>, 'attempt' | 'evidence'> {
  readonly store: RunStore;
  /** How the run ended, if it has. */
  readonly end: RunEnd;
}

/** Throws `not-found` when there is no such phase or attempt. */
export async function explanationOfPipeline(
  ledger: Ledger,
  { workflowId, runId, recipe, startedAt }: PipelineRecord,
  { phase, end, ...wish }: ExplainWish & { readonly phase?: string | undefined },
): Promise<Explanation> {
  const records = await findPhases(ledger, runId, phase);
  const evidence = evidenceWish(wish, records.length);
  const told = await Promise.all(records.map((record) => explainedPhase(ledger, record, evidence)));
  return {
    ...{ answer: 'explain', pipeline: workflowId, runId, recipe, startedAt, ...toldEnd(end) },
    ...withinBounds(told, wish.attempt),
  };
}

export function toldEnd({ state, endedAt, sentence }: RunEnd): Pick<Explanation, 'state' | 'endedAt' | 'ended'> {
  return { state, endedAt, ...(sentence !== null && { ended: sentence }) };
}

/** Null where no evidence is asked for. */
export function evidenceWish(
  { store, evidence, attempt }: Omit<ExplainWish, 'end'>,
  phases: number,
): EvidenceWish | null {
  const isAsked = evidence === true || attempt !== undefined;
  return isAsked ? { store, room: Math.floor(mostEvidence / phases) } : null;
}

/** Of one attempt where it is asked for, and so many events that the answer stays small. Throws `not-found`. */
export function withinBounds(
  told: readonly ExplainedPhase[],
  attempt: number | undefined,
): Pick<Explanation, 'phases' | 'omitted'> {
  const phases = attempt === undefined ? told : onlyOf(told, attempt);
  const surplus = phases.flatMap(({ events }) => events).length - mostEvents;
  return { phases: surplus > 0 ? withoutOldest(phases, surplus) : phases, omitted: Math.max(0, surplus) };
}

async function explainedPhase(ledger: Ledger, record: PhaseRecord, wish: EvidenceWish | null): Promise<ExplainedPhase> {
  const { phase, kind, state } = record;
  const { sentence } = (record.because ?? { sentence: '' }) as { sentence: string };
  const work = await workOf(ledger, record);
  const byHand = await handPromotionOf(ledger, { runId: work.runId, phase: work.phase });
  const because = byHand === null || state === 'reused' ? sentence : `${promotedBy(byHand)} (${byHand.checkpoint}).`;
  return { phase, kind, state, because, events: await eventsOf(ledger, work, wish) };
}

/** Everything that happened in a phase, in order. */
export async function eventsOf(
  ledger: Ledger,
  { runId, workflowId, phase }: Pick<PhaseRecord, 'workflowId' | 'runId' | 'phase'>,
  wish: EvidenceWish | null,
): Promise<readonly ExplainedEvent[]> {
  const of = { runId, phase };
  const attempts = await ledger.attemptsOf({ ...of, workflowId, purpose: 'train' });
  const decisions = await ledger.decisionsOf(of);
  const failures = [
    ...(await ledger.incidentRecordsOf({ ...of, purpose: 'train' })),
    ...(await ledger.incidentRecordsOf({ ...of, purpose: 'evaluate' })),
  ];
  const checkpoints = await ledger.checkpointsOf(of);
  const aftermathOf = (failed: IncidentRecord): Aftermath => {
    const key = retryKey(of, failed.purpose, failed.incident.attempt);
    const decision = decisions.find((one) => one.key === key) as DecisionRecord<RetryDecision> | undefined;
    return { decision: decision?.answer ?? null, next: nextAttemptOf(failed, attempts, checkpoints) };
  };
  const evaluations = await ledger.attemptsOf({ ...of, workflowId, purpose: 'evaluate' });
  const kept = await keptOf(failures, [...attempts, ...evaluations], wish);
  const events = [
    ...attempts.map(attemptEvent),
    ...evaluations.map(attemptEvent),
    ...failures.map((failed) => incidentEvent(failed, aftermathOf(failed), kept.get(failed))),
    ...decisions.map(decisionEvent),
    ...(await ledger.verdictsOf(of)).map(verdictEvent),
    ...(await ledger.notificationsOf(of)).map(notificationEvent),
  ];
  return events.toSorted(byTime).map(bounded);
}

/** Everything of attempts, and of evaluation jobs, of this number. Throws `not-found`. */
function onlyOf(phases: readonly ExplainedPhase[], attempt: number): readonly ExplainedPhase[] {
  const only = phases.map((phase) => ({ ...phase, events: phase.events.filter((event) => event.attempt === attempt) }));
  const told = only.filter(({ events }) => events.length > 0);
  if (told.length > 0) return told;
  const numbers = [...new Set(phases.flatMap(({ events }) => events.flatMap((event) => event.attempt ?? [])))];
  const there = numbers.sort((one, other) => one - other).join(', ') || 'none yet';
  throw new TemperError('not-found', `there is no attempt ${String(attempt)}; there are: ${there}`);
}

async function keptOf(
  failures: readonly IncidentRecord[],
  attempts: readonly AttemptRecord[],
  wish: EvidenceWish | null,
): ReturnType<typeof evidenceOfFailures> {
  if (wish === null) return new Map();
  const jobs = failures.map((record) => {
    const { purpose, incident } = record;
    const own = attempts.find((one) => one.purpose === purpose && one.number === incident.attempt);
    return { record, directory: own?.directory ?? null };
  });
  return await evidenceOfFailures(jobs, wish);
}

/** Of one moment: an attempt begins, it fails, and what follows is decided. */
const order: readonly ExplainedEvent['about'][] = [
  'attempt',
  'evaluation',
  'start',
  'incident',
  'stopped',
  'retry',
  'collapse',
  'release',
  'steering',
  'import',
  'withdraw',
  'prune',
  'pin',
  'sweep',
  'verdict',
  'notification',
];

function byTime(a: ExplainedEvent, b: ExplainedEvent): number {
  const attempts = (a.attempt ?? Number.MAX_VALUE) - (b.attempt ?? Number.MAX_VALUE);
  return a.at.localeCompare(b.at) || attempts || order.indexOf(a.about) - order.indexOf(b.about);
}

function bounded(event: ExplainedEvent): ExplainedEvent {
  const lines = event.lines.slice(0, mostLines).map((line) => line.slice(0, longestLine));
  const more = event.lines.length - lines.length;
  return { ...event, lines: more > 0 ? [...lines, `… and ${String(more)} more`] : lines };
}

function withoutOldest(phases: readonly ExplainedPhase[], count: number): ExplainedPhase[] {
  const kept = new Set(
    phases
      .flatMap(({ events }) => events)
      .toSorted(byTime)
      .slice(count),
  );
  return phases.map((phase) => ({ ...phase, events: phase.events.filter((event) => kept.has(event)) }));
}
