/** The story of a pipeline, or of a sweep, as a person reads it on a terminal. */
import { linesOfEvidence } from '../../decisions/evidence-lines.ts';
import { minuteOf } from '../../decisions/utc-minute.ts';
import type { ExplainedSweep } from '../../decisions/explained-sweep.ts';
import type { ExplainedEvent, ExplainedPhase, Explanation } from '../../workflows/contract-questions.ts';
import { coloured, colouredState } from './colour.ts';
import { printable } from './printable.ts';
import { wayOnText } from './status-text.ts';

export function explanationText(story: Explanation): string {
  const { pipeline, recipe, runId, state, startedAt, endedAt, phases, omitted, sweep } = story;
  const ended = endedAt === null ? '' : ` to ${moment(endedAt)}`;
  const head = `${coloured('head', pipeline)}: ${sweep === undefined ? 'recipe' : 'sweep'} ${recipe}, ${colouredState(state)}, ${moment(startedAt)}${ended} UTC (run ${runId})`;
  const left = omitted > 0 ? [`The oldest ${String(omitted)} events are left out.`] : [];
  const found = sweep === undefined ? [] : sweepText(sweep);
  return [
    head,
    ...(story.ended === undefined ? [] : [printable(story.ended)]),
    ...found,
    ...left,
    ...phases.map((phase) => phaseText(phase, pipeline)),
  ].join('\n\n');
}

/** What a person asks first of a night: what became worse, then what is missing, then the rest. */
function sweepText(sweep: ExplainedSweep): string[] {
  const { benchmarks, looksAt, evaluated, due, skipped, comparedWith, regressions, schedule } = sweep;
  const compared = comparedWith === null ? 'the last sweep' : `the sweep of ${minuteOf(comparedWith)}`;
  const parts: readonly (readonly [title: string, lines: readonly string[]])[] = [
    [`Worse than in ${compared}:`, regressions],
    ['Skipped:', skipped],
    ['Of its schedule:', schedule],
    ['Due still, the next first:', due],
    ['Evaluated:', evaluated],
    [`Looks at, on ${benchmarks.join(', ')}:`, looksAt],
  ];
  return [
    ...(sweep.comparison === undefined ? [] : [sweep.comparison]),
    ...parts.filter(([, lines]) => lines.length > 0).map(([title, lines]) => [title, ...lines.map(asLine)].join('\n')),
  ];
}

const asLine = (line: string): string => `  ${printable(line)}`;

function phaseText({ phase, kind, state, because, events }: ExplainedPhase, pipeline: string): string {
  const why = [
    ...(because === '' ? [] : [`  ${printable(because)}`]),
    ...(state === 'held' ? [`  ${wayOnText(pipeline)}`] : []),
  ];
  const name = kind === phase ? coloured('head', phase) : `${coloured('head', phase)} (${kind})`;
  return [`${name}: ${colouredState(state)}`, ...why, ...events.flatMap(eventLines)].join('\n');
}

function eventLines(event: ExplainedEvent): string[] {
  const { at, about, attempt, sentence, lines } = event;
  const who =
    about === 'verdict'
      ? 'gate'
      : about === 'notification'
        ? 'told'
        : `${about}${attempt === null ? '' : ` ${String(attempt)}`}`;
  const head = `  ${coloured('quiet', moment(at).slice(11))}  ${who.padEnd(12)}  ${printable(sentence)}`;
  const evidence = evidenceLines(event).map((line) => coloured('quiet', line));
  return [head, ...[...lines.map(printable), ...evidence].map((line) => `                          ${line}`)];
}

function evidenceLines({ evidence, attempt }: ExplainedEvent): string[] {
  if (evidence === undefined) return [];
  if (evidence === 'too-much')
    return [`Its evidence is too much beside that of newer failures: --attempt ${String(attempt)} shows it.`];
  return linesOfEvidence(evidence).map(printable);
}

function moment(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}
