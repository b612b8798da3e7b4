/** Where a pipeline stands, as a person reads it on a terminal: once, in columns (bars.ts follows). */
import { coloured, colouredState } from './colour.ts';
import { columnsText, type Column } from './columns.ts';
import { doingOf, type PhaseView } from './phase-view.ts';
import { minuteOf } from '../../decisions/utc-minute.ts';

const columns: readonly Column<PhaseView>[] = [
  { head: 'phase', cell: ({ phase }) => phase },
  { head: 'kind', cell: ({ kind }) => kind, spare: 1 },
  { head: 'state', cell: ({ state }) => state, paint: (text, { state }) => colouredState(state, text) },
  { head: 'attempt', align: 'right', cell: ({ attempt }) => (attempt > 0 ? String(attempt) : '') },
  { head: 'step', align: 'right', cell: stepOf },
  { head: 'doing', cell: doingOf },
  { head: 'score', align: 'right', cell: ({ score }) => (score === null ? '' : score.toFixed(3)) },
];

export function phasesText(phases: readonly PhaseView[]): string {
  const notes = phases.filter(({ note }) => note !== '').map(({ phase, note }) => `  ${phase}: ${note}`);
  return [columnsText(columns, phases), ...(notes.length > 0 ? ['', 'What is known:', ...notes] : [])].join('\n');
}

/** What a person does about a phase that is held. */
export function wayOnText(pipeline: string): string {
  return `To go on, mend what it says, then: temper release ${pipeline}; after a rejection: temper promote, temper skip-phase or temper retry-phase`;
}

function stepOf({ job, step, of }: PhaseView): string {
  const at = job && job.of > 0 ? job : { step, of };
  return at.of > 0 ? `${String(at.step)}/${String(at.of)}` : '';
}

export interface ListedPipeline {
  readonly pipeline: string;
  readonly runId: string;
  /** `running`, how it ended, or `held` where a phase waits for a person. */
  readonly state: string;
  readonly phase: string;
  readonly score: number | null;
  readonly startedAt: string;
}

const listColumns: readonly Column<ListedPipeline>[] = [
  { head: 'pipeline', cell: ({ pipeline }) => pipeline, paint: (text) => coloured('head', text) },
  { head: 'state', cell: ({ state }) => state, paint: (text, { state }) => colouredState(state, text) },
  { head: 'phase', cell: ({ phase }) => phase, spare: 2 },
  { head: 'score', align: 'right', cell: ({ score }) => (score === null ? '' : score.toFixed(3)), spare: 1 },
  { head: 'started (UTC)', cell: ({ startedAt }) => minuteOf(startedAt) },
];

export function pipelinesText(pipelines: readonly ListedPipeline[]): string {
  return columnsText(listColumns, pipelines);
}
