/** A sweep in words: whose checkpoints, what was skipped and why, what became worse, and what a person is told. Does not cover pages. */
import { count, difference as inPoints, percent } from './stage-sentences.ts';
import type { EvaluationKey } from './evaluation.ts';
import { sentenceOfPruned } from './prune-sentences.ts';
import { minuteOf } from './utc-minute.ts';
import type {
  FailedRound,
  LostCheckpoint,
  Regression,
  Skipped,
  SkippedNights,
  Subject,
  SweepReport,
  WhySkipped,
} from './sweep.ts';

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

export function sentenceOfLost({ checkpoint: what, because }: LostCheckpoint): string {
  return `Skipped ${sentenceOfSkipped({ what, because })}.`;
}

export function sentenceOfFailedRound({ evaluations, because }: FailedRound): string {
  const [one] = evaluations;
  if (evaluations.length === 1 && one !== undefined) return `Not made, ${titleOfEvaluation(one)}: ${because}`;
  return `${count(evaluations.length, 'evaluation')} not made, each is tried alone: ${because}`;
}

export function titleOfEvaluation({ checkpoint, benchmark, seed }: EvaluationKey): string {
  return `${checkpoint} on ${benchmark}, seed ${String(seed)}`;
}

function why(because: WhySkipped): string {
  switch (because.rule) {
    case 'budget':
      return `no budget, ${because.spentHours.toFixed(2)} of ${String(because.hours)} GPU-hours are spent${byJobsOf(because.gpus)}`;
    case 'deleted':
      if (because.pruned) return sentenceOfPruned(because.pruned);
      return `deleted${because.pruned === null ? ' by nobody that the ledger knows' : ''}, ${because.path} is not there any more`;
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

const byJobsOf = (gpus = 1): string => (gpus === 1 ? '' : ` by jobs of ${String(gpus)} GPUs`);

export function sentenceOfRegression({ subject, benchmark, before, now, difference }: Regression): string {
  return (
    `${sentenceOfSubject(subject)} is worse on ${benchmark}: ${percent(before.mean)} (${before.checkpoint}) → ` +
    `${percent(now.mean)} (${now.checkpoint}), ${inPoints(difference)} points over ${count(difference.n, 'problem')}`
  );
}

/** Null where none was skipped. */
export function sentenceOfNights({ overlap, missed, notTaken }: SkippedNights): string | null {
  const parts = [
    ...(missed > 0
      ? [`${starts(missed)} skipped while no worker or server was there for longer than a start may be late`]
      : []),
    ...(overlap > 0 ? [`${starts(overlap)} skipped because the sweep before still ran`] : []),
    ...(notTaken === undefined
      ? []
      : [
          `${starts(notTaken.starts)} skipped because this sweep was started at ${minuteOf(notTaken.from)} UTC and no worker took it until ${minuteOf(notTaken.until)} UTC`,
        ]),
  ];
  return parts.length === 0 ? null : `Since the last sweep ${parts.join(', and ')}.`;
}

const starts = (count: number): string => (count === 1 ? '1 start was' : `${String(count)} starts were`);

/** What a sweep did, in one line. */
export function sentenceOfSweep({ skippedMore = 0, ...report }: SweepReport): string {
  const { evaluated, hours, gpuHours, skipped } = report;
  const parts = [
    `${count(evaluated, 'evaluation')} in ${hours.toFixed(2)} h of jobs`,
    ...(gpuHours === undefined ? [] : [`${gpuHours.toFixed(2)} GPU-hours`]),
    comparisonIn(report),
    ...(skipped.length === 0 ? [] : [`${String(skipped.length + skippedMore)} skipped`]),
  ];
  return parts.join(', ');
}

function comparisonIn({ comparedWith, compared, unchanged = 0, regressions }: SweepReport): string {
  if (comparedWith === null) return 'nothing to compare with yet';
  if (regressions.length > 0) return `${String(regressions.length)} worse than last time`;
  if (compared !== 0) return 'nothing is worse';
  return unchanged > 0 ? 'the same checkpoints as last time' : 'nothing to compare with last time';
}

/** What it was compared with and that nothing is worse; null where something is. */
export function sentenceOfComparison({ comparedWith, compared, unchanged, regressions }: SweepReport): string | null {
  if (comparedWith === null) return 'There is nothing to compare it with yet.';
  if (regressions.length > 0) return null;
  const last = `the sweep of ${minuteOf(comparedWith)}`;
  // Older reports did not count them.
  if (unchanged === undefined)
    return compared === 0 ? `There was nothing to compare with ${last}.` : `Nothing is worse than in ${last}.`;
  const same = `${unchanged === 1 ? '1 score is' : `${String(unchanged)} scores are`} of the same checkpoint as then, by the same evaluations`;
  if (compared !== 0 || unchanged > 0) return `Nothing is worse than in ${last}${unchanged === 0 ? '' : `: ${same}`}.`;
  return `Nothing of it can be compared with ${last}: none of what both look at was evaluated in both.`;
}

/** Of each kind; the others are counted. */
const mostLines = 8;

/** All of it that a person should know, a line each, the worst first. */
export function linesOfSweep(report: SweepReport): readonly string[] {
  const nights = sentenceOfNights(report.nights);
  return [
    ...firstOf(report.regressions.map(sentenceOfRegression), 'worse'),
    ...(nights === null ? [] : [nights]),
    ...report.clock,
    ...firstOf(report.skipped.map(sentenceOfSkipped), 'skipped', report.skippedMore),
  ];
}

function firstOf(lines: readonly string[], word: string, unnamed = 0): string[] {
  const more = Math.max(0, lines.length - mostLines) + unnamed;
  return more === 0 ? [...lines] : [...lines.slice(0, mostLines), `… and ${String(more)} more ${word}`];
}

/** What stays so until somebody changes a recipe or a profile: it is told when it is new. */
const standing: readonly WhySkipped['rule'][] = ['no-benchmark', 'other-profile', 'too-many'];

/** Whether there is something to look at: then a person is told. Who cancelled it knows. `before`: what the last sweep has told. */
export function needsAPerson(report: SweepReport, before: readonly Skipped[] = []): boolean {
  if (report.outcome === 'cancelled') return false;
  const told = new Set(before.filter(({ because }) => standing.includes(because.rule)).map(sentenceOfSkipped));
  const skipped = report.skipped.filter((one) => !told.has(sentenceOfSkipped(one)));
  return report.outcome === 'failed' || linesOfSweep({ ...report, skipped }).length > 0;
}
