/** What a gate says, in words: verdicts, stages and why one candidate did not go on. Scores in percent, differences in points. */
import type { BoundLine, GateVerdict, NotWorseReport, AtLeastReport, RankLine, StageReport } from './gate-report.ts';
import type { Estimate } from './statistics.ts';

/** The verdict in one sentence. */
export function sentenceOfVerdict(verdict: GateVerdict): string {
  switch (verdict.kind) {
    case 'promote':
      return promotion(verdict);
    case 'more-evaluations':
      return moreEvaluations(verdict);
    case 'hold':
      if (verdict.because.rule === 'no-candidates') return 'Held: there is no candidate to promote.';
      return `Held: ${count(verdict.because.missing, 'evaluation')} would be needed, and the budget leaves ${verdict.because.left}.`;
    case 'reject': {
      const stage = verdict.stages[verdict.because.stage];
      const rule = stage === undefined ? 'a stage of the gate' : `"${titleOf(stage)}"`;
      return `Rejected: none of ${count(verdict.because.candidates, 'candidate')} passed ${rule}.`;
    }
  }
}

/** A stage: its rule, then one line per candidate with its numbers. */
export function sentencesOfStage(report: StageReport): readonly string[] {
  if (report.stage === 'rank') return [`${titleOf(report)}:`, ...report.lines.map((line) => rankSentence(line))];
  return [`${titleOf(report)}:`, ...report.lines.map((line) => boundSentence(report, line))];
}

/** Why this candidate was not promoted by this verdict; null when no stage says so. */
export function whyNot(verdict: GateVerdict, checkpoint: string): string | null {
  const winner = verdict.kind === 'promote' ? verdict.checkpoint.id : null;
  for (const report of verdict.stages) {
    if (report.stage === 'rank') {
      const line = report.lines.find((one) => one.checkpoint === checkpoint);
      if (line === undefined || winner === null) continue;
      return line.tied ? tiedSentence(line, report.lines[0]) : rankSentence(line);
    }
    const line = report.lines.find((one) => one.checkpoint === checkpoint);
    if (line !== undefined && line.outcome !== 'passed') return boundSentence(report, line);
  }
  return winner === null ? null : `${winner} is newer.`;
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

function promotion(verdict: Extract<GateVerdict, { kind: 'promote' }>): string {
  const { because, checkpoint } = verdict;
  switch (because.rule) {
    case 'no-gate':
      return `Promoted ${checkpoint.id}: no gate is set, and it is the newest, at step ${because.step}.`;
    case 'newest':
      return `Promoted ${checkpoint.id}: the newest of ${count(because.passed, 'candidate')} that passed, at step ${because.step}.`;
    case 'highest': {
      const next =
        because.next === null
          ? 'it is the only candidate'
          : `next is ${because.next.checkpoint} with ${percent(because.next.score)}`;
      return `Promoted ${checkpoint.id}: highest on ${because.benchmark} with ${percent(because.score)}; ${next}.`;
    }
    case 'tie': {
      const by = because.by === 'tokens' ? 'needs the fewest tokens' : 'is the earliest';
      return `Promoted ${checkpoint.id}: ${because.among} candidates cannot be told apart on ${because.benchmark}, and it ${by}.`;
    }
  }
}

function moreEvaluations(verdict: Extract<GateVerdict, { kind: 'more-evaluations' }>): string {
  const { because } = verdict;
  if (because.rule === 'first-seeds') {
    return `${count(because.missing, 'evaluation')} missing before the gate can judge (seeds 1 to ${because.seeds} of each candidate).`;
  }
  const who = because.contenders.join(', ');
  return `The evidence on ${because.benchmark} does not decide for ${who}: ${count(because.missing, 'evaluation')} more.`;
}

function titleOf(report: StageReport): string {
  switch (report.stage) {
    case 'not-worse-than-parent':
      return `Not more than ${points(report.margin).replace('+', '')} points below the parent on ${report.benchmark}`;
    case 'score-at-least':
      return `At least ${percent(report.atLeast)} on ${report.benchmark}`;
    case 'rank':
      return `Highest mean on ${report.benchmark}; inside the noise: ${report.tie.map(tieWords).join(', then ') || 'earlier'}`;
  }
}

function tieWords(rule: 'tokens' | 'earlier'): string {
  return rule === 'tokens' ? 'fewer tokens' : 'earlier';
}

function boundSentence(report: NotWorseReport | AtLeastReport, line: BoundLine): string {
  const score = `${line.checkpoint}: ${percent(line.score)}`;
  if (line.estimate === null) return `${score}, passes: there is no parent to compare with.`;
  const held =
    report.stage === 'score-at-least'
      ? `${percent(line.estimate.low)} to ${percent(line.estimate.high)}`
      : `${difference(line.estimate)} points to the parent's ${percent(report.parent?.score ?? 0)}`;
  return `${score}, ${held} (${outcome(line)}).`;
}

function outcome(line: BoundLine): string {
  const seeds = count(line.seeds, 'seed');
  if (line.decidedBy === 'point-estimate') return `${line.outcome} by the point estimate: ${seeds} left it open`;
  return `${line.outcome} with ${seeds}`;
}

function rankSentence(line: RankLine): string {
  const numbers = `${line.checkpoint}: ${percent(line.score)}, ${line.tokensPerSample.toFixed(1)} tokens per sample`;
  if (line.fromLeader === null) return `${numbers}, the highest mean.`;
  return `${numbers}, ${difference(line.fromLeader)} points to the highest${line.tied ? ', inside the noise' : ''}.`;
}

function tiedSentence(line: RankLine, winner: RankLine | undefined): string {
  if (winner === undefined || winner.checkpoint === line.checkpoint) return rankSentence(line);
  const tokens = `${line.tokensPerSample.toFixed(1)} tokens per sample against ${winner.tokensPerSample.toFixed(1)}`;
  return `Cannot be told apart from ${winner.checkpoint} (${percent(line.score)} and ${percent(winner.score)}), which the tie rules prefer: ${tokens}, step ${line.step} against ${winner.step}.`;
}

function difference(estimate: Estimate): string {
  return `${points(estimate.mean)} (${points(estimate.low)} to ${points(estimate.high)})`;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
