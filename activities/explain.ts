/**
 * Everything that was decided in the newest run of a pipeline: incidents, decisions and verdicts in sentences, with their numbers.
 *
 * Covers reading the ledger in the order in which things happened. Does not cover the words (decisions/) or printing.
 */
import { TemperError } from '../decisions/errors.ts';
import { sentencesOfStage, sentenceOfVerdict } from '../decisions/gate-sentences.ts';
import { promotedBy } from '../decisions/hand-promotion.ts';
import type { GateVerdict } from '../decisions/gate-report.ts';
import { sentenceOfNotification } from '../decisions/notification.ts';
import type { Incident } from '../decisions/failure.ts';
import type { RetryDecision } from '../decisions/retry.ts';
import { bytesText, type PinSaid, sentenceOfGo, sentenceOfPin } from '../decisions/prune-sentences.ts';
import { endOfRun, type RunEnd } from '../decisions/run-state.ts';
import { sentenceOfSaves } from '../decisions/save-time.ts';
import { duration, linesOfHung, sentenceOfClass, sentenceOfRelease } from '../decisions/sentences.ts';
import { type SteeredBy, type SteeringRequest, sentenceOfSteering } from '../decisions/steering-sentences.ts';
import { sentenceOfFailedRound, sentenceOfLost } from '../decisions/sweep-sentences.ts';
import type { FailedRound, LostCheckpoint } from '../decisions/sweep.ts';
import {
  type Aftermath,
  isStoppedByHold,
  sentenceOfFailure,
  sentenceOfWhatFollows,
} from '../decisions/what-happened.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { DecisionRecord, VerdictRecord } from '../store/ledger/decisions.ts';
import type { IncidentRecord } from '../store/ledger/incidents.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { NotificationRecord } from '../store/ledger/notifications.ts';
import type { PhaseRecord } from '../store/ledger/phases.ts';
import type { PipelineRecord } from '../store/ledger/pipelines.ts';
import type { RunStore } from '../store/run-store.ts';
import type { ExplainedEvent, ExplainedPhase, Explanation, Question } from '../workflows/contract-questions.ts';
import { type EvidenceWish, evidenceOfFailures } from './failure-evidence.ts';
import { nextAttemptOf } from './aftermath.ts';
import { retryKey } from './changes-of-phase.ts';
import { handPromotionOf } from './hand-promotion.ts';
import { findPhases, findPipeline, workOf } from './named-run.ts';
import type { DecidedPruning } from './prune.ts';
import { failedRound, lostCheckpoint } from './sweep-state.ts';

/** Events of all phases together: about 200 KB at most. */
const mostEvents = 400;
const mostLines = 30;
const longestLine = 400;

/** Of a trainer's last numbers, those that a person asks for first. */
const keyMetrics = ['loss', 'reward', 'kl', 'grad_norm', 'learning_rate'];

/** Evidence of all failures together, as it travels through a workflow's history. Characters. */
const mostEvidence = 400_000;

export type ExplainWish = Omit<Extract<Question, { question: 'explain' }>, 'question'>;

/** Throws `not-found` when there is no such pipeline, phase or attempt. The evidence of failures comes with a store, and where it is asked for. */
export async function explanationOf(
  ledger: Ledger,
  { pipeline, phase, attempt, evidence }: ExplainWish,
  { store = null, known }: { readonly store?: RunStore | null; readonly known?: KnownPipeline } = {},
): Promise<Explanation> {
  const { run, end } = known ?? (await knownByLedger(ledger, pipeline));
  const records = await findPhases(ledger, run.runId, phase);
  const wish = evidenceWish({ store, evidence, attempt, phases: records.length });
  const told = await Promise.all(records.map((record) => explainedPhase(ledger, record, wish)));
  const { workflowId, runId, recipe, startedAt } = run;
  return {
    ...{ answer: 'explain', pipeline: workflowId, runId, recipe, startedAt, ...toldEnd(end) },
    ...withinBounds(told, attempt),
  };
}

/** The run that is told of, and how it ended, if it has. */
interface KnownPipeline {
  readonly run: PipelineRecord;
  readonly end: RunEnd;
}

async function knownByLedger(ledger: Ledger, pipeline: string): Promise<KnownPipeline> {
  const run = await findPipeline(ledger, pipeline);
  return { run, end: endOfRun(run, { runId: run.runId, state: null }) };
}

export function toldEnd({ state, endedAt, sentence }: RunEnd): Pick<Explanation, 'state' | 'endedAt' | 'ended'> {
  return { state, endedAt, ...(sentence !== null && { ended: sentence }) };
}

export function evidenceWish({
  store,
  evidence,
  attempt,
  phases,
}: Pick<ExplainWish, 'evidence' | 'attempt'> & {
  readonly store: RunStore | null;
  readonly phases: number;
}): EvidenceWish | null {
  const isAsked = evidence === true || attempt !== undefined;
  return store !== null && isAsked ? { store, room: Math.floor(mostEvidence / phases) } : null;
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

function attemptEvent({
  workflowId,
  purpose,
  number,
  state,
  createdAt,
  endedAt,
  evidence,
  request,
}: AttemptRecord): ExplainedEvent {
  const name = purpose === 'train' ? `Attempt ${String(number)}` : `Evaluation job ${String(number)}`;
  const seconds = endedAt === null ? null : (Date.parse(endedAt) - Date.parse(createdAt)) / 1000;
  const became = evidence?.stoppedByTemper === 'hold' && state === 'failed' ? 'stopped by a hold' : state;
  const ended = seconds === null ? became : `${became} after ${duration(seconds)}`;
  const { evaluations = [] } = (request ?? {}) as { evaluations?: readonly { readonly key: string }[] };
  const metrics = keyMetrics.flatMap((metric) => {
    const value = (evidence?.result ?? evidence?.observed)?.metrics[metric];
    return value === undefined
      ? []
      : [`${metric} ${value === null ? 'not finite' : String(Number(value.toPrecision(4)))}`];
  });
  const doubt = evidence === null ? null : sentenceOfSaves(evidence);
  return {
    at: createdAt,
    about: purpose === 'train' ? 'attempt' : 'evaluation',
    attempt: number,
    sentence: `${name}: ${ended}.`,
    lines: [
      ...(metrics.length > 0 ? [`Last numbers: ${metrics.join(', ')}.`] : []),
      ...(doubt === null ? [] : [doubt]),
      ...(state === 'queued' || state === 'starting' ? [`What it waits for: \`temper status ${workflowId}\`.`] : []),
      ...evaluations.map(({ key }) => key),
    ],
  };
}

function incidentEvent(record: IncidentRecord, aftermath: Aftermath, kept: ExplainedEvent['evidence']): ExplainedEvent {
  const { incident, evidence, purpose, at } = record;
  const { attempt, class: failure, because, completedStep } = incident;
  const newest = purpose === 'train' ? ` Newest complete checkpoint at step ${String(completedStep)}.` : '';
  const told = kept === undefined ? {} : { evidence: kept };
  if (isStoppedByHold(incident)) {
    const lines = purpose === 'train' ? [newest.trimStart()] : [];
    return { at, about: 'stopped', attempt, sentence: sentenceOfFailure(record, aftermath), lines, ...told };
  }
  // In the evidence that is told beside it they stand already.
  const isTold = kept !== undefined && kept !== 'too-much';
  const words = isTold ? [] : (evidence.ranks.find(({ rank }) => rank === (incident.rank ?? 0))?.lastLines ?? []);
  const log = words.slice(-3).map((line) => `log: ${line}`);
  const lines = [`${sentenceOfClass(failure, because)}${newest}`, ...linesOfHung(evidence.hung ?? []), ...log];
  return { at, about: 'incident', attempt, sentence: sentenceOfFailure(record, aftermath), lines, ...told };
}

function decisionEvent({ key, runId, phase, question, answer, evidence, attempt, at }: DecisionRecord): ExplainedEvent {
  if (question === 'retry') {
    const isEvaluation = attempt !== null && key === retryKey({ runId, phase }, 'evaluate', attempt);
    const { incident } = evidence as { incident: Incident };
    const failed = { purpose: isEvaluation ? 'evaluate' : 'train', incident } as const;
    const sentence = sentenceOfWhatFollows(answer as RetryDecision, failed);
    return { at, about: isStoppedByHold(incident) ? 'stopped' : 'retry', attempt, sentence, lines: [] };
  }
  if (question === 'release') {
    const sentence = `It was ${sentenceOfRelease(evidence ?? {})}.`;
    return { at, about: 'release', attempt, sentence, lines: [] };
  }
  if (question === 'steering') {
    const sentence = `${sentenceOfSteering(answer as SteeringRequest, evidence as SteeredBy)}.`;
    return { at, about: 'steering', attempt, sentence, lines: [] };
  }
  if (question === 'prune') return { at, about: 'prune', attempt, ...pruned(answer as readonly DecidedPruning[]) };
  if (question === 'not-pruned') {
    const { problem } = evidence as { problem: string };
    const lines = (answer as readonly DecidedPruning[]).map(({ id }) => `${id}: there still`);
    return { at, about: 'prune', attempt, sentence: `They could not be deleted: ${problem}.`, lines };
  }
  if (question === 'pin' || question === 'unpin') {
    const sentence = sentenceOfPin({
      ...(evidence as PinSaid),
      checkpoint: answer as string,
      pinned: question === 'pin',
    });
    return { at, about: 'pin', attempt, sentence, lines: [] };
  }
  if (question === failedRound)
    return { at, about: 'sweep', attempt, sentence: sentenceOfFailedRound(answer as FailedRound), lines: [] };
  if (question === lostCheckpoint)
    return { at, about: 'sweep', attempt, sentence: sentenceOfLost(answer as LostCheckpoint), lines: [] };
  const { sentence } = (evidence ?? {}) as { sentence?: string };
  if (question === 'collapse' || question === 'import')
    return { at, about: question, attempt, sentence: sentence ?? '', lines: [] };
  return { at, about: 'start', attempt, sentence: sentence ?? `${question}: ${JSON.stringify(answer)}`, lines: [] };
}

function pruned(gone: readonly DecidedPruning[]): Pick<ExplainedEvent, 'sentence' | 'lines'> {
  const freed = bytesText(gone.reduce((sum, { bytes }) => sum + bytes, 0));
  return {
    sentence: `Pruned ${String(gone.length)} checkpoint${gone.length === 1 ? '' : 's'}, ${freed}.`,
    lines: gone.map(({ id, why }) => `${id}: ${sentenceOfGo(why)}`),
  };
}

function verdictEvent({ verdict, at }: VerdictRecord): ExplainedEvent {
  const said = verdict as GateVerdict;
  return {
    at,
    about: 'verdict',
    attempt: null,
    sentence: sentenceOfVerdict(said),
    lines: said.stages.flatMap((stage, index) => {
      const [title = '', ...candidates] = sentencesOfStage(stage);
      return [`Stage ${String(index + 1)}: ${title}`, ...candidates.map((line) => `  ${line}`)];
    }),
  };
}

function notificationEvent(record: NotificationRecord): ExplainedEvent {
  const { at, cause } = record;
  return { at, about: 'notification', attempt: null, sentence: sentenceOfNotification(record), lines: [cause] };
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
