/**
 * What a person sees of a phase: the run's current details, and the reports to its pipeline.
 *
 * Covers words and numbers on the page. Does not cover decisions: it is told.
 */
import { setCurrentDetails } from '@temporalio/workflow';
import type { AttemptTicket } from '../activities/attempts.ts';
import type { GateAnswer } from '../activities/gate.ts';
import type { Phase } from '../configs/schema.ts';
import { type EndOfHold, untilWhen } from '../decisions/hold.ts';
import type { PhaseState } from '../decisions/states.ts';
import type { FinishedWork } from '../activities/promotion.ts';
import type { CheckpointRef, PhaseContext, PhaseEnd, PhaseReport } from './contract.ts';
import { type HoldSignals, holdSignals, type HoldWait } from './hold-signals.ts';
import { newestOf } from './markdown.ts';
import { pipelineLine } from './pipeline-line.ts';

export interface PhaseBoard {
  readonly hears: HoldSignals['hears'];
  attempt(ticket: AttemptTicket): void;
  evaluating(what: string): void;
  judged(answer: GateAnswer): void;
  /** With the step that an attempt had reached; null or undefined where nobody knows. */
  decided(sentence: string, step?: number | null): void;
  /** Of a due checkpoint, or where a job was stopped. */
  reached(step: number): void;
  /** Scores from outside that this phase was told of. */
  scoresHeard(): number;
  /** As `HoldSignals.wait`. */
  held(
    sentence: string,
    how: HoldWait & { readonly until: string; readonly then: EndOfHold },
  ): ReturnType<HoldSignals['wait']>;
  reused(work: FinishedWork): PhaseEnd;
  completed(checkpoint: CheckpointRef, answer: { readonly sentence: string; readonly score: number | null }): PhaseEnd;
  /** It ends with what it began with. */
  endedWith(parent: CheckpointRef, as: Pick<PhaseEnd, 'state' | 'because'>): PhaseEnd;
  /** `running`: it is to begin anew. */
  stands(state: Extract<PhaseState, 'failed' | 'cancelled' | 'running'>, because?: string): void;
  /** Resolves when the pipeline has every report: those of a run that closes before are lost. */
  delivered(): Promise<void>;
}

export function phaseBoard(context: PhaseContext): PhaseBoard {
  const decisions: string[] = [];
  const pipeline = pipelineLine(context.runId);
  let report = waitingPhase(context.phase);
  let opened: AttemptTicket | null = null;

  function show(change: Partial<PhaseReport>): void {
    report = changed(report, change);
    if (change.note && change.note !== decisions.at(-1)) decisions.push(change.note);
    setCurrentDetails(details(context, report, decisions));
    pipeline.report({ ...report, note: noteForPipeline(report, opened) });
  }
  function end(outcome: PhaseEnd): PhaseEnd {
    show({ state: outcome.state, note: outcome.because, score: outcome.score });
    return outcome;
  }

  const signals = holdSignals(
    () => report.state === 'held',
    (note) => {
      show({ state: 'running', note });
    },
  );

  return {
    hears: signals.hears,
    scoresHeard: () => signals.scoresHeard(),
    attempt: (ticket) => {
      opened = ticket;
      show({ state: 'running', attempt: ticket.number, step: ticket.resumeStep, of: ticket.of, note: ticket.sentence });
    },
    evaluating: (what) => {
      show({ state: 'evaluating', note: what });
    },
    judged: (answer) => {
      pipeline.rows(answer.rows, answer.outside);
      if (answer.kind !== 'promote') show({ note: answer.sentence });
    },
    decided: (sentence, step) => {
      show({ note: sentence, ...(typeof step === 'number' ? { step } : {}) });
    },
    reached: (step) => {
      show({ step });
    },
    held: async (sentence, how) => {
      show({ state: 'held', note: `held: ${sentence}`, held: untilWhen(how) });
      const answer = await signals.wait(how);
      if (answer === null && how.then !== 'fail') show({ state: 'running' });
      return answer;
    },
    reused: ({ outcome, rows }) => {
      pipeline.rows(rows);
      return end(outcome);
    },
    completed: (checkpoint, answer) =>
      end({ state: 'completed', checkpoint, because: answer.sentence, score: answer.score }),
    endedWith: (checkpoint, as) => end({ ...as, checkpoint, score: null }),
    stands: (state, note) => {
      show({ state, ...(note !== undefined && { note }) });
    },
    delivered: () => pipeline.delivered(),
  };
}

/** Until when it is held is said for as long as it is. */
function changed(report: PhaseReport, change: Partial<PhaseReport>): PhaseReport {
  const { held, ...next } = { ...report, ...change };
  return held !== undefined && next.state === 'held' ? { ...next, held } : next;
}

/** A phase before it begins. */
export function waitingPhase({ name, kind }: Phase): PhaseReport {
  return { phase: name, kind, state: 'waiting', attempt: 0, step: 0, of: 0, note: '', score: null };
}

/** The page of a pipeline has one note a phase: that of an attempt says there what happened to the one before. */
function noteForPipeline({ note }: PhaseReport, opened: AttemptTicket | null): string {
  return opened?.before !== undefined && note === opened.sentence ? `${note} ${opened.before}` : note;
}

function details(context: PhaseContext, report: PhaseReport, decisions: readonly string[]): string {
  const start = context.start ? `starts from \`${context.start.id}\`` : 'makes the start';
  const progress =
    report.of > 0 ? `, attempt ${String(report.attempt)}, step ${String(report.step)} of ${String(report.of)}` : '';
  const kind = report.kind === report.phase ? '' : ` (${report.kind})`;
  const held = report.held === undefined ? '' : ` ${report.held}`;
  return `**${report.phase}**${kind} ${start}: **${report.state}**${held}${progress}\n\n${newestOf(decisions)}`;
}
