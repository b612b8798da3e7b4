/**
 * What a person sees of a pipeline: current details, queries, search attributes, and the update that releases a held phase.
 *
 * Covers the page. Does not cover the story (pipeline.ts): it is told.
 */
import {
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { afterHandPromotion, type HandPromotion, sentenceOfHandPromotion } from '../decisions/hand-promotion.ts';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';
import type { OutsideRow } from '../decisions/outside-rows.ts';
import { type OutsideOfPipeline, scoreKeyText, type ShownScores } from '../decisions/shown-scores.ts';
import {
  childIds,
  type Leaderboard,
  type PhaseReport,
  type PipelineStatus,
  type ReleaseInput,
  type ResolvedPipeline,
} from './contract.ts';
import {
  leaderboardQuery,
  phaseReportSignal,
  planQuery,
  releaseSignal,
  releaseUpdate,
  rowsSignal,
  searchAttributes,
  statusQuery,
} from './messages.ts';
import { orUndo } from './or-undo.ts';
import { type OutsideBoard, outsideBoard } from './outside-board.ts';
import { waitingPhase } from './phase-board.ts';
import { pipelineDetails } from './pipeline-details.ts';
import { refusal } from './refusal.ts';

export interface PipelineBoard {
  opened(resolved: ResolvedPipeline, opened: { readonly searchAttributes: boolean; readonly runId?: string }): void;
  /** By which the ledger knows this run: the one that opened it. A reset behind that point goes on with it, as its phases do. */
  runId(): string;
  /** Nothing of this phase and of those after it is known yet: what a reset heard again of them is from before it. */
  begins(phase: string): void;
  ended(state: 'completed' | 'failed' | 'cancelled'): void;
  /** Null before the recipe is resolved. */
  resolved(): ResolvedPipeline | null;
  /** Where each phase stands; none before the recipe is resolved. */
  phases(): readonly PhaseReport[];
  /** The recipe is another now. */
  changed(resolved: ResolvedPipeline): void;
  /** What a phase says that has no run to say it. */
  report(report: PhaseReport): void;
  /** Whether a phase was told what follows its hold, and has not said yet that it goes on. */
  isSettled(phase: string): boolean;
  settle(phase: string, isSettled: boolean): void;
  /** A person ends a phase with a checkpoint: it has the last word over the gate, once the phase says that it ended so. */
  promoted(phase: string, promotion: HandPromotion): void;
  /** What came in from outside of its checkpoints. */
  scored(shown: Pick<ShownScores, 'rows' | 'outside'>): void;
  /** `listener` is told what a phase reports, after the board. */
  onReport(listener: (report: PhaseReport) => void): void;
}

interface Board {
  runId: string;
  resolved: ResolvedPipeline | null;
  phases: PhaseReport[];
  rows: Map<string, LeaderboardRow>;
  outside: OutsideBoard;
  attributes: boolean;
  state: string;
  hears: (report: PhaseReport) => void;
  /** Held phases that were told what follows. */
  settled: Set<string>;
  /** What a person said that phases end with. */
  byHand: Map<string, HandPromotion>;
}

export function pipelineBoard(): PipelineBoard {
  const board: Board = {
    runId: workflowInfo().runId,
    resolved: null,
    phases: [],
    rows: new Map(),
    outside: outsideBoard(),
    attributes: false,
    state: 'running',
    hears: () => undefined,
    settled: new Set(),
    byHand: new Map(),
  };
  answerQueries(board);
  hearSignals(board);
  hearReleases(board);
  return {
    opened(resolved, known) {
      board.runId = known.runId ?? board.runId;
      opened(board, resolved, known.searchAttributes);
    },
    begins: (phase) => {
      forgetFrom(board, phase);
    },
    runId: () => board.runId,
    resolved: () => board.resolved,
    phases: () => board.phases,
    changed(resolved) {
      board.resolved = resolved;
    },
    report: (report) => {
      reported(board, report);
    },
    isSettled: (phase) => board.settled.has(phase),
    settle(phase, isSettled) {
      if (isSettled) board.settled.add(phase);
      else board.settled.delete(phase);
    },
    promoted(phase, promotion) {
      board.byHand.set(phase, promotion);
    },
    scored: (shown) => {
      scored(board, shown);
    },
    onReport(listener) {
      board.hears = listener;
    },
    ended(state) {
      board.state = state;
      show(board);
      if (board.attributes) upsertSearchAttributes([{ key: searchAttributes.state, value: state }]);
    },
  };
}

function hearSignals(board: Board): void {
  // Of an earlier run of this id, whose phase is still closing, nothing is heard.
  const isOurs = (run = board.runId) => run === board.runId;
  setHandler(phaseReportSignal, (report?: PhaseReport, run?: string) => {
    if (report !== undefined && isOurs(run)) reported(board, report); // else it was sent by hand, with nothing to say
  });
  setHandler(rowsSignal, (rows?: readonly LeaderboardRow[], run?: string, outside?: OutsideOfPipeline) => {
    if (isOurs(run)) scored(board, { rows: rows ?? [], ...(outside !== undefined && { outside }) });
  });
}

function opened(board: Board, resolved: ResolvedPipeline, attributes: boolean): void {
  board.resolved = resolved;
  board.attributes = attributes;
  board.phases = resolved.recipe.phases.map(waitingPhase);
  show(board);
  if (!attributes) return;
  upsertSearchAttributes([
    { key: searchAttributes.state, value: 'running' },
    { key: searchAttributes.model, value: modelName(resolved) },
  ]);
}

function forgetFrom(board: Board, phase: string): void {
  const { phases = [] } = board.resolved?.recipe ?? {};
  const first = phases.findIndex(({ name }) => name === phase);
  board.phases = [...board.phases.slice(0, first), ...phases.slice(first).map(waitingPhase)];
  const forgotten = new Set(phases.slice(first).map(({ name }) => name));
  for (const name of forgotten) board.byHand.delete(name);
  for (const [key, row] of board.rows) if (forgotten.has(row.phase)) board.rows.delete(key);
  board.outside.forget(forgotten);
  show(board);
}

function reported(board: Board, report: PhaseReport): void {
  board.phases = board.phases.map((phase) => (phase.phase === report.phase ? report : phase));
  if (report.state !== 'held') board.settled.delete(report.phase);
  if (report.state === 'completed') endRows(board, report);
  show(board);
  setAttributes(board, report);
  board.hears(report);
}

/** Of a phase that ended by a person's word, the rows say so. */
function endRows(board: Board, { phase, note }: PhaseReport): void {
  const promotion = board.byHand.get(phase);
  if (promotion === undefined || sentenceOfHandPromotion(promotion) !== note) return;
  for (const [key, row] of board.rows) if (row.phase === phase) board.rows.set(key, afterHandPromotion(row, promotion));
}

function scored(
  board: Board,
  { rows, outside }: { readonly rows: readonly LeaderboardRow[]; readonly outside?: OutsideOfPipeline },
): void {
  const changed = new Set(outside?.changed?.keys.map(scoreKeyText));
  // Of an import that was taken back no row stays, a judged one neither.
  const before = [...board.rows].filter(([, row]) => changed.has(scoreKeyText(row)));
  for (const [key] of before) board.rows.delete(key);
  const judged = new Map(before.map(([, row]) => [scoreKeyText(row), { verdict: row.verdict, why: row.why }]));
  for (const row of rows) keepRow(board, { ...row, ...judged.get(scoreKeyText(row)) });
  if (outside !== undefined) board.outside.hear(outside);
  show(board);
}

/** A row that a gate has judged stays when the next phase shows the same checkpoint as its parent. */
function keepRow(board: Board, row: LeaderboardRow): void {
  const key = scoreKeyText(row);
  if (row.verdict !== 'none' || (board.rows.get(key)?.verdict ?? 'none') === 'none') board.rows.set(key, row);
}

/** By the order of the phases, then by step. */
function inOrder<Row extends Pick<LeaderboardRow, 'phase' | 'step'>>(board: Board, rows: Iterable<Row>): Row[] {
  const phases = board.phases.map(({ phase }) => phase);
  return [...rows].sort((a, b) => phases.indexOf(a.phase) - phases.indexOf(b.phase) || a.step - b.step);
}

function answerQueries(board: Board): void {
  setHandler(
    statusQuery,
    (): PipelineStatus => ({
      recipe: board.resolved?.recipe.name ?? '',
      profile: board.resolved?.profile.name ?? '',
      phases: board.phases,
    }),
    { description: 'No input. Where each phase stands' },
  );
  setHandler(leaderboardQuery, () => leaderboardOf(board), {
    description: 'No input. Every evaluated candidate with its numbers',
  });
  setHandler(planQuery, () => board.resolved, {
    description: 'No input. The recipe and profile as they were resolved: what runs',
  });
}

function leaderboardOf(board: Board): Leaderboard {
  const outside: readonly OutsideRow[] = inOrder(board, board.outside.rows());
  const leftOut = board.outside.leftOut();
  return {
    rows: inOrder(board, board.rows.values()),
    ...(outside.length > 0 && { outside }),
    ...(leftOut > 0 && { outsideOmitted: leftOut }),
  };
}

function hearReleases(board: Board): void {
  setHandler(releaseUpdate, async (input?: ReleaseInput) => await release(board, input ?? {}), {
    description: '{"phase": "sft", "by": "you", "reason": "why"}, each optional: lets a held phase go on',
    validator: (input?: ReleaseInput) => {
      heldPhase(board, input ?? {});
    },
  });
}

/** The phase that a release is meant for; throws what a person sees in the form. */
function heldPhase(board: Board, input: ReleaseInput): string {
  const held = board.phases
    .filter(({ phase, state }) => state === 'held' && !board.settled.has(phase))
    .map(({ phase }) => phase);
  const [only] = held;
  if (only === undefined) throw refusal({ type: 'NothingHeld', message: 'no phase is held now' });
  if (input.phase === undefined || held.includes(input.phase)) return input.phase ?? only;
  throw refusal({
    type: 'NothingHeld',
    message: `phase "${input.phase}" is not held; held: ${held.join(', ')}`,
  });
}

async function release(board: Board, input: ReleaseInput): Promise<string> {
  const phase = heldPhase(board, input);
  board.settled.add(phase);
  const handle = getExternalWorkflowHandle(childIds.phase(workflowInfo().workflowId, phase));
  await orUndo(
    () => handle.signal(releaseSignal, input),
    () => board.settled.delete(phase),
  );
  return `phase ${phase} goes on`;
}

function setAttributes(board: Board, report: PhaseReport): void {
  if (!board.attributes) return;
  upsertSearchAttributes([
    { key: searchAttributes.state, value: report.state === 'held' ? 'held' : 'running' },
    { key: searchAttributes.phase, value: report.phase },
    ...(report.score === null ? [] : [{ key: searchAttributes.score, value: report.score }]),
  ]);
}

function modelName(resolved: ResolvedPipeline): string {
  const { model } = resolved.recipe;
  return 'tiny' in model ? 'tiny' : (model.path.split('/').at(-1) ?? model.path);
}

function show(board: Board): void {
  const { namespace, workflowId } = workflowInfo();
  const { resolved, state, phases } = board;
  const candidates = inOrder(board, [...board.rows.values(), ...board.outside.rows()]);
  const candidatesLeftOut = board.outside.leftOut();
  setCurrentDetails(pipelineDetails({ namespace, workflowId, resolved, state, phases, candidates, candidatesLeftOut }));
}
