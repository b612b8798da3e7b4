/** The stages of a gate in words: a title, and one line per candidate with its numbers. Scores in percent, differences in points. */
import type {
  AtLeastReport,
  BoundLine,
  CompareLine,
  CompareReport,
  NotWorseReport,
  RankLine,
  RuntimeLine,
  ScoredByVote,
  StageReport,
  TieRule,
  UnfinishedShares,
} from './gate-report.ts';
import type { Estimate } from './statistics.ts';

/** A stage: its rule, then one line per candidate with its numbers. */
export function sentencesOfStage(report: StageReport): readonly string[] {
  const lines = report.lines.map((line) => sentenceOfLine(report, line.checkpoint));
  if (lines.length === 0) return [`${titleOf(report)}: nobody told anything on ${report.benchmark}.`];
  return [`${titleOf(report)}${scoredText(report)}:`, ...lines];
}

/** What its scores are, where they are not the share of right samples. */
function scoredText(report: StageReport): string {
  const vote = report.stage === 'runtime-at-most' ? undefined : report.vote;
  return vote === undefined ? '' : ` (${voteWords(vote)})`;
}

function voteWords(vote: ScoredByVote): string {
  return `${plainVoteWords(vote)}${vote.weight === undefined ? '' : `, votes weighed by ${vote.weight}`}`;
}

function plainVoteWords({ samples, agreeing, of }: ScoredByVote): string {
  if (of !== undefined) return `maj@${of}: each problem scored by votes of ${of} of its ${samples} samples`;
  if (agreeing === undefined) return `maj@${samples}: each problem scored by the vote of its ${samples} samples`;
  return `each problem scored by the vote of its samples, which ends when ${agreeing} of up to ${samples} agree`;
}

/** A score with what of its samples came to no end by itself: `62.5 % (of its samples 1.2 % not done in time)`. */
function scoreWords(score: number, { timedOutShare, truncatedShare }: UnfinishedShares): string {
  const late = timedOutShare === undefined ? [] : [`${percent(timedOutShare)} not done in time`];
  const cut = truncatedShare === undefined ? [] : [`${percent(truncatedShare)} cut at the limit of tokens`];
  const unfinished = [...late, ...cut].join(', ');
  return unfinished === '' ? percent(score) : `${percent(score)} (of its samples ${unfinished})`;
}

/** What a stage says of one candidate; empty where it says nothing. */
export function sentenceOfLine(report: StageReport, checkpoint: string): string {
  const ofIt = <L extends { readonly checkpoint: string }>(lines: readonly L[], words: (line: L) => string) =>
    lines
      .filter((line) => line.checkpoint === checkpoint)
      .map(words)
      .join('');
  switch (report.stage) {
    case 'rank':
      return ofIt(report.lines, rankSentence);
    case 'compare':
      return ofIt(report.lines, (line) => compareSentence(report, line));
    case 'runtime-at-most':
      return ofIt(report.lines, runtimeSentence);
    case 'not-worse-than-parent':
    case 'score-at-least':
      return ofIt(report.lines, (line) => boundSentence(report, line));
  }
}

/** Each pair that a comparison cannot tell apart, with the seeds that would. */
export function pairsOf(report: StageReport | undefined): string {
  if (report?.stage !== 'compare') return 'the candidates';
  const [first, ...others] = report.lines.filter(({ outcome }) => outcome !== 'below');
  return others.map((line) => `${first?.checkpoint ?? ''} and ${line.checkpoint} (${wouldDecide(line)})`).join(', ');
}

/** 0.634 → `63.4 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** 0.012 → `+1.2`: a difference of shares in points. */
export function points(difference: number): string {
  const value = (difference * 100).toFixed(1);
  return difference > 0 && value !== '0.0' ? `+${value}` : value.replace('-0.0', '0.0').replace('-', '−');
}

function compareSentence(report: CompareReport, line: CompareLine): string {
  if (line.score === null) {
    const order = { highest: 'told to be the highest', below: 'told to be lower', tied: 'told to be lower' };
    return `${line.checkpoint}: ${line.outcome === 'not-scored' ? 'no score' : `${order[line.outcome]}, without a number`} on ${report.benchmark}.`;
  }
  const score = `${line.checkpoint}: ${scoreWords(line.score, line)} with ${count(line.seeds, 'seed')}`;
  if (line.fromLeader === null) {
    return `${score}, the highest${line.chanceOfBest === null ? '' : `; the best in ${percent(line.chanceOfBest)} of draws`}.`;
  }
  const numbers = `${score}, ${difference(line.fromLeader)} points to the highest`;
  if (line.outcome === 'below') return `${numbers}, ${report.by === 'mean' ? 'below it' : 'surely below it'}.`;
  return `${numbers}, inside the noise: ${wouldDecide(line)}.`;
}

function wouldDecide(line: CompareLine): string {
  if (line.score === null) return 'no number of runs is told';
  if (line.furtherSeeds === null) return 'no number of seeds on these problems would decide';
  return `${count(line.furtherSeeds, 'seed')} more of each would decide if the difference stays`;
}

function runtimeSentence(line: RuntimeLine): string {
  switch (line.decidedBy) {
    case 'evaluations':
      return `${line.checkpoint}: ${(line.seen ?? 0).toFixed(1)} minutes, 95 % of draws within ${(line.p95 ?? 0).toFixed(1)} (${line.outcome}).`;
    case 'outside-time':
      return `${line.checkpoint}: ${(line.seen ?? 0).toFixed(1)} minutes, told from outside (${line.outcome}).`;
    case 'told':
      return `${line.checkpoint}: told from outside (${line.outcome}).`;
    case 'unknown':
      return `${line.checkpoint}: nobody knows how long it takes (failed).`;
  }
}

export function titleOf(report: StageReport): string {
  switch (report.stage) {
    case 'not-worse-than-parent':
      return `Not more than ${points(report.margin).replace('+', '')} points below the parent on ${report.benchmark}`;
    case 'score-at-least':
      return `At least ${percent(report.atLeast)} on ${report.benchmark}`;
    case 'runtime-at-most': {
      const margin = report.marginMinutes === 0 ? '' : ` less a margin of ${report.marginMinutes}`;
      return `A run over ${report.benchmark} within ${report.minutes} minutes${margin}`;
    }
    case 'compare':
      return `Not ${report.by === 'mean' ? '' : 'surely '}below the highest on ${report.benchmark}`;
    case 'rank':
      return `Highest mean on ${report.benchmark}; inside the noise: ${report.tie.map(tieWords).join(', then ') || 'earlier'}`;
  }
}

function tieWords(rule: TieRule): string {
  return { tokens: 'fewer tokens', runtime: 'shorter', earlier: 'earlier' }[rule];
}

function boundSentence(report: NotWorseReport | AtLeastReport, line: BoundLine): string {
  const score = `${line.checkpoint}: ${scoreWords(line.score, line)}`;
  if (line.estimate === null) return `${score}, passes: there is no parent to compare with.`;
  const held =
    report.stage === 'score-at-least'
      ? `${percent(line.estimate.low)} to ${percent(line.estimate.high)}`
      : `${difference(line.estimate)} points to the parent's ${scoreWords(report.parent?.score ?? 0, report.parent ?? {})}`;
  return `${score}, ${held} (${outcome(line)}).`;
}

function outcome(line: BoundLine): string {
  const seeds = count(line.seeds, 'seed');
  if (line.decidedBy === 'point-estimate') return `${line.outcome} by the point estimate: ${seeds} left it open`;
  return `${line.outcome} with ${seeds}`;
}

export function rankSentence(line: RankLine): string {
  const numbers = `${line.checkpoint}: ${scoreWords(line.score, line)}${line.tokensPerSample === null ? '' : `, ${line.tokensPerSample.toFixed(1)} tokens per sample`}`;
  if (line.fromLeader === null) return `${numbers}, the highest mean.`;
  return `${numbers}, ${difference(line.fromLeader)} points to the highest${line.tied ? ', inside the noise' : ''}.`;
}

export function tiedSentence(line: RankLine, winner: RankLine | undefined): string {
  if (winner === undefined || winner.checkpoint === line.checkpoint) return rankSentence(line);
  const tokens =
    line.tokensPerSample === null || winner.tokensPerSample === null
      ? 'tokens not known'
      : `${line.tokensPerSample.toFixed(1)} tokens per sample against ${winner.tokensPerSample.toFixed(1)}`;
  return `Cannot be told apart from ${winner.checkpoint} (${percent(line.score)} and ${percent(winner.score)}), which the tie rules prefer: ${tokens}, step ${line.step} against ${winner.step}.`;
}

export function difference(estimate: Estimate): string {
  return `${points(estimate.mean)} (${points(estimate.low)} to ${points(estimate.high)})`;
}

export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
