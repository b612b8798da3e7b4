/**
 * The current details of a pipeline's page: what stands where, what a person can do about it, and what is known of each phase.
 *
 * Narrow on purpose: beside the side bar of the UI a wide table loses its last column. Does not cover how markdown is written (markdown.ts).
 */
import { type Candidate, candidatesTable } from './candidates-table.ts';
import { childIds, type PhaseReport, type ResolvedPipeline } from './contract.ts';
import { bytesOf, entry, table } from './markdown.ts';

export interface PipelinePage {
  readonly namespace: string;
  readonly workflowId: string;
  /** Null until the recipe is resolved. */
  readonly resolved: ResolvedPipeline | null;
  readonly state: string;
  readonly phases: readonly PhaseReport[];
  /** In the order of the phases. */
  readonly candidates: readonly Candidate[];
  /** More of them, which the pipeline was not told. @default 0 */
  readonly candidatesLeftOut?: number;
}

/** With the last note and all: current details travel in an address. Bytes. */
const longestPage = 3900;
/** Of each, and how many. Bytes. */
const [longestWarning, mostWarnings] = [300, 3];
/** Less than this says nothing of a phase. Bytes. */
const shortestNote = 60;
/** So that the notes keep the most of the page. Bytes. */
const mostOfCandidates = 1300;

/** Markdown under 4 KB. */
export function pipelineDetails(page: PipelinePage): string {
  const rows = page.phases.map((phase) => [
    phase.phase,
    phase.state,
    phase.attempt > 0 ? String(phase.attempt) : '',
    phase.of > 0 ? `${String(phase.step)}/${String(phase.of)}` : '',
    phase.score === null ? '' : phase.score.toFixed(3),
  ]);
  const top = [
    headline(page),
    ...warningsText(page),
    ...heldText(page),
    table(['phase', 'state', 'attempt', 'step', 'score'], rows),
  ];
  const above = top.join('\n\n');
  const room = Math.min(mostOfCandidates, longestPage - bytesOf(above) - leastOfNotes(page));
  const candidates = candidatesTable(page.candidates, room, page.candidatesLeftOut);
  const text = candidates === null ? above : `${above}\n\n${candidates}`;
  return [text, ...known(page, longestPage - bytesOf(text))].join('\n\n');
}

function headline({ resolved, state }: PipelinePage): string {
  if (resolved === null) return `It is **${state}**`;
  const changed = resolved.changed.length === 0 ? '' : `, with ${count(resolved.changed.length, 'field')} set`;
  return `**${resolved.recipe.name}** on **${resolved.profile.name}** is **${state}**${changed}`;
}

const count = (number: number, one: string): string => `${String(number)} ${one}${number === 1 ? '' : 's'}`;

function warningsText({ resolved }: PipelinePage): string[] {
  const warnings = (resolved?.warnings ?? []).slice(0, mostWarnings);
  return warnings.length === 0 ? [] : [warnings.map((text) => entry('warning', text, longestWarning)).join('\n')];
}

/** A held phase waits for a person, who needs to know how to let it go on. */
function heldText({ phases, state }: PipelinePage): string[] {
  if (state !== 'running') return [];
  return phases
    .filter((phase) => phase.state === 'held')
    .map(
      ({ phase, held }) =>
        `**${phase} is held for a person**${held === undefined ? '' : `, ${held}`}. To go on: More Actions → Send an Update → \`release\`, with \`{"phase": "${phase}", "by": "you"}\`; after a rejection \`promote\`, \`skipPhase\` or \`retryPhase\``,
    );
}

/** The newest sentence of each phase that has one, with the way to the phase's own page; the later phases where room is short. */
function known(page: PipelinePage, roomBytes: number): string[] {
  const told = toldPhases(page);
  const heads = told.map((phase) => headOf(page, phase));
  const fitting = heads.filter((_, index) => sum(heads.slice(index).map(leastOf)) <= roomBytes);
  if (fitting.length === 0) return [];
  const spare = (roomBytes - sum(fitting.map(leastOf))) / fitting.length;
  const lines = told.slice(-fitting.length).map(({ note }, index) => {
    const head = fitting[index] ?? '';
    return entry(head, note, Math.floor(leastOf(head) + spare) - 1);
  });
  return [lines.join('\n')];
}

/** What the notes of all phases need. Bytes. */
function leastOfNotes(page: PipelinePage): number {
  return sum(toldPhases(page).map((phase) => leastOf(headOf(page, phase))));
}

const toldPhases = ({ phases }: PipelinePage) => phases.filter(({ note }) => note !== '');
const leastOf = (head: string): number => bytesOf(head) + shortestNote;

function headOf({ namespace, workflowId }: PipelinePage, { phase, kind }: PhaseReport): string {
  // Relative: the UI may be served below a path.
  const href = `namespaces/${namespace}/workflows/${encodeURIComponent(childIds.phase(workflowId, phase))}`;
  return `[${phase}](${href})${kind === phase ? '' : ` (${kind})`}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
