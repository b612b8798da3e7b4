/**
 * What a gate says, in words: verdicts, and why one candidate did not go on.
 *
 * Does not cover the lines of a stage (stage-sentences.ts).
 */
import type { GateVerdict, StageReport } from './gate-report.ts';
import { count, percent, pairsOf, rankSentence, sentenceOfLine, tiedSentence, titleOf } from './stage-sentences.ts';

export { percent, points, sentencesOfStage } from './stage-sentences.ts';

/** The verdict in one sentence. */
export function sentenceOfVerdict(verdict: GateVerdict): string {
  switch (verdict.kind) {
    case 'promote':
      return `${promotion(verdict)}${afterShrinkage(verdict)}`;
    case 'more-evaluations':
      return moreEvaluations(verdict);
    case 'hold':
      return held(verdict);
    case 'reject': {
      const stage = verdict.stages[verdict.because.stage];
      const rule = stage === undefined ? 'a stage of the gate' : `"${titleOf(stage)}"`;
      return `Rejected: none of ${count(verdict.because.candidates, 'candidate')} passed ${rule}.`;
    }
  }
}

/** Why this candidate was not promoted by this verdict; null when no stage says so. */
export function whyNot(verdict: GateVerdict, checkpoint: string): string | null {
  const winner = verdict.kind === 'promote' ? verdict.checkpoint.id : null;
  for (const report of verdict.stages) {
    const why = whyNotByStage(report, checkpoint, winner);
    if (why !== null) return why;
  }
  if (winner === null) return null;
  const order = verdict.stages.findLast((report) => report.stage === 'compare' && report.lines.length > 0);
  return order === undefined
    ? `${winner} is newer.`
    : `${winner} is ahead on ${order.benchmark}, though the evidence does not tell the two apart.`;
}

function whyNotByStage(report: StageReport, checkpoint: string, winner: string | null): string | null {
  if (report.stage === 'rank') {
    const line = report.lines.find((one) => one.checkpoint === checkpoint);
    if (line === undefined || winner === null) return null;
    return line.tied ? tiedSentence(line, report.lines[0]) : rankSentence(line);
  }
  const line = report.lines.find((one) => one.checkpoint === checkpoint);
  if (line === undefined || line.outcome === 'passed' || line.outcome === 'highest') return null;
  const goesOn = report.stage === 'compare' && line.outcome !== 'below' && !decides(report, winner);
  return goesOn ? null : sentenceOfLine(report, checkpoint);
}

/** Nothing after a comparison had a say when its highest is the one that goes on, or nobody goes on yet. */
function decides(report: StageReport, winner: string | null): boolean {
  return winner === null || report.lines[0]?.checkpoint === winner;
}

function held(verdict: Extract<GateVerdict, { kind: 'hold' }>): string {
  const { because, stages } = verdict;
  switch (because.rule) {
    case 'no-candidates':
      return 'Held: there is no candidate to promote.';
    case 'evaluation-budget':
      return `Held: ${count(because.missing, 'evaluation')} would be needed, and the budget leaves ${because.left}.`;
    case 'lacking-problems': {
      const { checkpoint, benchmark, evaluations, problems, seeds } = because;
      const named = problems.slice(0, 3).join(', ');
      const others = problems.length > 3 ? ` and ${problems.length - 3} more` : '';
      return `Held: ${count(evaluations, 'evaluation')} of ${checkpoint} on ${benchmark} lack ${named}${others}, which other evaluations have, and all ${count(seeds, 'seed')} are spent. Mend the evaluator, raise the version of ${benchmark} and start the pipeline again.`;
    }
    case 'outside-scores': {
      const { benchmark, lacks, checkpoints } = because;
      const lack = lacks === 'score' ? 'no score of' : 'no runtime of';
      return `Held: ${benchmark} is scored outside, and has ${lack} ${listed(checkpoints)}. It goes on when they are there: temper record-score ${checkpoints[0] ?? '<checkpoint>'} ${benchmark} ${lacks === 'score' ? '<score>' : '--runtime <minutes>'}. Once released, it goes on without.`;
    }
    case 'undecided': {
      const pairs = pairsOf(stages.at(-1));
      return `Held: the evidence on ${because.benchmark} does not decide between ${pairs}, and no evaluation that may be had is likely to. Once released, the highest goes on.`;
    }
  }
}

/** The first few by name. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5);
  const others = names.length - shown.length;
  if (others > 0) return `${shown.join(', ')} and ${others} more`;
  return [shown.slice(0, -1).join(', '), shown.at(-1)].filter((part) => part !== '').join(' and ');
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
      return `Promoted ${checkpoint.id}: highest on ${because.benchmark}${withScore(because.score)}; ${next}.`;
    }
    case 'highest-of-undecided':
      return `Promoted ${checkpoint.id}: highest on ${because.benchmark}${withScore(because.score)}, though the evidence does not tell ${because.among} candidates apart.`;
    case 'tie': {
      const by = { tokens: 'needs the fewest tokens', runtime: 'takes the shortest time', earlier: 'is the earliest' }[
        because.by
      ];
      return `Promoted ${checkpoint.id}: ${because.among} candidates cannot be told apart on ${because.benchmark}, and it ${by}.`;
    }
  }
}

/** What to expect of a score that was picked for being high. */
function afterShrinkage({ checkpoint, shrunken }: Extract<GateVerdict, { kind: 'promote' }>): string {
  const own = shrunken?.scores.find(({ id }) => id === checkpoint.id);
  if (shrunken === undefined || own === undefined) return '';
  return ` Picked of ${shrunken.lookedAt} by scores that are partly luck: ${percent(own.mean)} (${percent(own.low)} to ${percent(own.high)}) after shrinkage.`;
}

function withScore(score: number | null): string {
  return score === null ? ' by what is told from outside' : ` with ${percent(score)}`;
}

function moreEvaluations(verdict: Extract<GateVerdict, { kind: 'more-evaluations' }>): string {
  const { because } = verdict;
  if (because.rule === 'first-seeds') {
    return `${count(because.missing, 'evaluation')} missing before the gate can judge (${because.seeds === 1 ? 'seed 1' : `seeds 1 to ${because.seeds}`} of each candidate, and of a parent that is the bound).`;
  }
  const comparison = verdict.stages.at(-1);
  const who =
    comparison?.stage === 'compare' ? `between ${pairsOf(comparison)}` : `for ${because.contenders.join(', ')}`;
  const asked =
    because.missing === 0 ? 'scores from outside are needed' : `${count(because.missing, 'evaluation')} more`;
  return `The evidence on ${because.benchmark} does not decide ${who}: ${asked}.`;
}
