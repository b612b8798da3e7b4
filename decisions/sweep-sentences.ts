/** A sweep in words: whose checkpoints, what was skipped and why, what became worse, and what a person is told. Does not cover pages. */
import { count, difference as inPoints, percent } from './stage-sentences.ts';
import type { Regression, Skipped, SkippedNights, Subject, SweepReport, WhySkipped } from './sweep.ts';

export function sentenceOfSubject(subject: Subject): string {
  switch (subject.kind) {
    case 'champion':
      return `champion of ${subject.pipeline}`;
    case 'running':
      return `newest of ${subject.pipeline}`;
    case 'named':
      return 'named';
  }
}

export function sentenceOfSkipped({ what, because }: Skipped): string {
  return `${what}: ${why(because)}`;
}

function why(because: WhySkipped): string {
  switch (because.rule) {
    case 'budget':
      return `no budget, ${because.spentHours.toFixed(2)} of ${String(because.hours)} GPU-hours are spent`;
    case 'deleted':
      return `deleted, ${because.path} is not there any more`;
    case 'unreadable':
      return `not readable, ${because.why}`;
    case 'failed':
      return `its evaluation failed, ${because.why}`;
    case 'no-benchmark':
      return `recipe ${because.recipe} has no benchmark "${because.benchmark}"`;
    case 'other-profile':
      return `it lies in the store of profile "${because.profile}", where this worker runs no jobs`;
    case 'unknown':
      return 'no such checkpoint is in the ledger';
    case 'too-many':
      return `a sweep looks at ${String(because.most)} checkpoints at most`;
  }
}

export function sentenceOfRegression({ subject, benchmark, before, now, difference }: Regression): string {
  return (
    `${sentenceOfSubject(subject)} is worse on ${benchmark}: ${percent(before.mean)} (${before.checkpoint}) → ` +
    `${percent(now.mean)} (${now.checkpoint}), ${inPoints(difference)} points over ${count(difference.n, 'problem')}`
  );
}

/** Null where none was skipped. */
export function sentenceOfNights({ overlap, missed }: SkippedNights): string | null {
  const parts = [
    ...(missed > 0
      ? [`${starts(missed)} skipped while no worker or server was there for longer than a start may be late`]
      : []),
    ...(overlap > 0 ? [`${starts(overlap)} skipped because the sweep before still ran`] : []),
  ];
  return parts.length === 0 ? null : `Since the last sweep ${parts.join(', and ')}.`;
}

const starts = (count: number): string => (count === 1 ? '1 start was' : `${String(count)} starts were`);

/** What a sweep did, in one line. */
export function sentenceOfSweep({ evaluated, hours, regressions, skipped }: SweepReport): string {
  const parts = [
    `${String(evaluated)} ${evaluated === 1 ? 'evaluation' : 'evaluations'} in ${hours.toFixed(2)} h of jobs`,
    regressions.length === 0 ? 'nothing is worse' : `${String(regressions.length)} worse than last time`,
    ...(skipped.length === 0 ? [] : [`${String(skipped.length)} skipped`]),
  ];
  return parts.join(', ');
}

/** Of each kind; the page has the others. */
const mostLines = 8;

/** All of it that a person should know, a line each, the worst first. */
export function linesOfSweep(report: SweepReport): readonly string[] {
  const nights = sentenceOfNights(report.nights);
  return [
    ...firstOf(report.regressions.map(sentenceOfRegression), 'worse'),
    ...(nights === null ? [] : [nights]),
    ...report.clock,
    ...firstOf(report.skipped.map(sentenceOfSkipped), 'skipped'),
  ];
}

function firstOf(lines: readonly string[], word: string): string[] {
  const more = lines.length - mostLines;
  return more <= 0 ? [...lines] : [...lines.slice(0, mostLines), `… and ${String(more)} more ${word}`];
}

/** Whether there is something to look at: then a person is told. Who cancelled it knows. */
export function needsAPerson(report: SweepReport): boolean {
  if (report.outcome === 'cancelled') return false;
  return report.outcome === 'failed' || linesOfSweep(report).length > 0;
}
