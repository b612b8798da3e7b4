/**
 * One record of the ledger as one event of an explanation: what happened, in a sentence, with the lines that a person asks for next.
 *
 * Does not cover reading the records or their order (explain.ts), or the words themselves (decisions/).
 */
import type { EvaluationKey } from '../decisions/evaluation.ts';
import type { Incident } from '../decisions/failure.ts';
import type { GateVerdict } from '../decisions/gate-report.ts';
import { sentencesOfStage, sentenceOfVerdict } from '../decisions/gate-sentences.ts';
import { sentenceOfNotification } from '../decisions/notification.ts';
import { bytesText, type PinSaid, sentenceOfGo, sentenceOfPin } from '../decisions/prune-sentences.ts';
import type { RetryDecision } from '../decisions/retry.ts';
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
import type { NotificationRecord } from '../store/ledger/notifications.ts';
import type { ExplainedEvent } from '../workflows/contract-questions.ts';
import { retryKey } from './changes-of-phase.ts';
import { importId } from './import-id.ts';
import type { DecidedPruning } from './prune.ts';
import { failedRound, lostCheckpoint } from './sweep-state.ts';

/** Of a trainer's last numbers, those that a person asks for first. */
const keyMetrics = ['loss', 'reward', 'kl', 'grad_norm', 'learning_rate'];

export function attemptEvent({
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

export function incidentEvent(
  record: IncidentRecord,
  aftermath: Aftermath,
  kept: ExplainedEvent['evidence'],
): ExplainedEvent {
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

type ToldDecision = Pick<ExplainedEvent, 'about' | 'sentence' | 'lines'>;

/** What is told of a decision, by the question it answers; every other question is about where a phase or an attempt starts. */
const tellingOf = new Map<string, (record: DecisionRecord) => ToldDecision>([
  ['retry', retry],
  [
    'release',
    ({ evidence }) => ({ about: 'release', sentence: `It was ${sentenceOfRelease(evidence ?? {})}.`, lines: [] }),
  ],
  [
    'steering',
    ({ answer, evidence }) => ({
      about: 'steering',
      sentence: `${sentenceOfSteering(answer as SteeringRequest, evidence as SteeredBy)}.`,
      lines: [],
    }),
  ],
  ['prune', pruned],
  ['not-pruned', notPruned],
  ['pin', pinned],
  ['unpin', pinned],
  ['collapse', ({ evidence }) => ({ about: 'collapse', sentence: recordedSentence(evidence) ?? '', lines: [] })],
  [
    'import',
    ({ answer, evidence }) => ({
      about: 'import',
      sentence: recordedSentence(evidence) ?? '',
      lines: [`Its id: ${importId(answer as EvaluationKey)}`],
    }),
  ],
  ['withdraw', ({ evidence }) => ({ about: 'withdraw', sentence: recordedSentence(evidence) ?? '', lines: [] })],
  [
    failedRound,
    ({ answer }) => ({ about: 'sweep', sentence: sentenceOfFailedRound(answer as FailedRound), lines: [] }),
  ],
  [lostCheckpoint, ({ answer }) => ({ about: 'sweep', sentence: sentenceOfLost(answer as LostCheckpoint), lines: [] })],
]);

export function decisionEvent(record: DecisionRecord): ExplainedEvent {
  const { at, attempt, question } = record;
  const tell = tellingOf.get(question) ?? started;
  const { about, sentence, lines } = tell(record);
  return { at, about, attempt, sentence, lines };
}

function recordedSentence(evidence: unknown): string | undefined {
  return ((evidence ?? {}) as { readonly sentence?: string }).sentence;
}

function started({ question, answer, evidence }: DecisionRecord): ToldDecision {
  const sentence = recordedSentence(evidence) ?? `${question}: ${JSON.stringify(answer)}`;
  return { about: 'start', sentence, lines: [] };
}

function retry({ key, runId, phase, attempt, answer, evidence }: DecisionRecord): ToldDecision {
  const { incident } = evidence as { readonly incident: Incident };
  const isEvaluation = attempt !== null && key === retryKey({ runId, phase }, 'evaluate', attempt);
  const failed = { purpose: isEvaluation ? 'evaluate' : 'train', incident } as const;
  const sentence = sentenceOfWhatFollows(answer as RetryDecision, failed);
  return { about: isStoppedByHold(incident) ? 'stopped' : 'retry', sentence, lines: [] };
}

function pruned({ answer }: DecisionRecord): ToldDecision {
  const gone = answer as readonly DecidedPruning[];
  const freed = bytesText(gone.reduce((sum, { bytes }) => sum + bytes, 0));
  return {
    about: 'prune',
    sentence: `Pruned ${String(gone.length)} checkpoint${gone.length === 1 ? '' : 's'}, ${freed}.`,
    lines: gone.map(({ id, why }) => `${id}: ${sentenceOfGo(why)}`),
  };
}

function notPruned({ answer, evidence }: DecisionRecord): ToldDecision {
  const { problem } = evidence as { readonly problem: string };
  const lines = (answer as readonly DecidedPruning[]).map(({ id }) => `${id}: there still`);
  return { about: 'prune', sentence: `They could not be deleted: ${problem}.`, lines };
}

function pinned({ question, answer, evidence }: DecisionRecord): ToldDecision {
  const said = { ...(evidence as PinSaid), checkpoint: answer as string, pinned: question === 'pin' };
  return { about: 'pin', sentence: sentenceOfPin(said), lines: [] };
}

export function verdictEvent({ verdict, at }: VerdictRecord): ExplainedEvent {
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

export function notificationEvent(record: NotificationRecord): ExplainedEvent {
  const { at, cause } = record;
  return { at, about: 'notification', attempt: null, sentence: sentenceOfNotification(record), lines: [cause] };
}
