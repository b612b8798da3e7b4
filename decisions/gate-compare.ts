/**
 * The stage `compare`: each candidate against the highest. A difference inside the noise is a tie; those surely below are out.
 *
 * Covers who is still in question and which further evaluations would decide: one seed a round for the highest and for those that are
 * likeliest to turn out better by something that counts, while there are such (successive elimination as of Even-Dar, Mannor and Mansour
 * 2006, JMLR 7: 1079–1105, by the expected gain of Frazier, Powell and Dayanik 2008, SIAM J. Control Optim. 47: 2410–2439). Does not
 * cover bounds and order (gate-stages.ts) or the budget's end (gate.ts).
 */
import { compareWithBest, type Comparable, type ComparisonWithBest } from './comparison-with-best.ts';
import type { CheckpointFact } from './evaluation.ts';
import { expectedGain, furtherRunsThatDecide, type PairOfScores, varianceWithin } from './further-seeds.ts';
import { type Scored, unfinishedShares } from './gate-evidence.ts';
import type { CompareLine, CompareReport } from './gate-report.ts';
import { isToldLower, type OutsideEvidence } from './outside-evidence.ts';

/** What further seeds must gain on the average, as a share, to be asked for: a tenth of a point. */
const worthAsking = 0.001;

export interface CompareRule {
  readonly benchmark: string;
  readonly by: 'evidence' | 'mean';
  readonly undecided: 'highest' | 'tie' | 'hold';
}

interface Compared {
  readonly standing: readonly CheckpointFact[];
  /** Of those standing that have a score. */
  readonly scores: readonly Scored[];
  readonly outside: readonly OutsideEvidence[];
}

/** A stage with what it rests on. */
export interface JudgedComparison {
  readonly report: CompareReport;
  readonly scores: readonly Scored[];
  /** Null where nobody has a score. */
  readonly comparison: ComparisonWithBest | null;
}

export function judgeCompare(rule: CompareRule, { standing, scores, outside }: Compared): JudgedComparison {
  const ids = standing.map(({ id }) => id);
  const toldLower = (id: string) => isToldLower(outside, id, { benchmark: rule.benchmark, others: ids });
  const comparison = scores.length === 0 ? null : compareWithBest([...scores].sort(earlierFirst).map(comparable));
  const lines = standing.map((checkpoint): CompareLine => {
    const own = scores.find((one) => one.checkpoint.id === checkpoint.id);
    const { id, step } = checkpoint;
    if (own === undefined || comparison === null) {
      const outcome = toldLower(id) ? lowerByWord(rule) : unscored(rule, { id, ids, outside });
      return { ...withoutScore, checkpoint: id, step, outcome };
    }
    const line = scoredLine(own, { comparison, scores, rule });
    return toldLower(id) && line.outcome !== 'below' ? { ...line, outcome: lowerByWord(rule) } : line;
  });
  lines.sort((a, b) => rankOf(a) - rankOf(b) || (b.score ?? -1) - (a.score ?? -1) || earlierLine(a, b));
  return { report: { stage: 'compare', ...rule, lines }, scores, comparison };
}

/** Who of those in question should have one seed more: empty where nobody is, or where all that may be had would hardly change who leads. */
export function worthOneMoreSeed(
  { report, scores, comparison }: JudgedComparison,
  seedsLeft: (checkpoint: string) => number,
): readonly string[] {
  const inQuestion = scores.filter((one) =>
    report.lines.some((line) => line.checkpoint === one.checkpoint.id && line.outcome !== 'below'),
  );
  const best = scores.find((one) => one.checkpoint.id === comparison?.best);
  if (comparison === null || best === undefined) return [];
  const gains = inQuestion.map((one) => {
    const further = Math.min(seedsLeft(one.checkpoint.id), seedsLeft(best.checkpoint.id));
    const gain = one === best || further < 1 ? 0 : expectedGain(pairOf(one, best, comparison), further);
    return { id: one.checkpoint.id, gain };
  });
  const most = Math.max(...gains.map(({ gain }) => gain));
  const decidable = gains.filter(({ gain }) => gain >= worthAsking && gain >= most / 2);
  return decidable.length === 0 ? [] : [best.checkpoint.id, ...decidable.map(({ id }) => id)];
}

const withoutScore = { score: null, seeds: 0, fromLeader: null, chanceOfBest: null, furtherSeeds: null };

function scoredLine(
  own: Scored,
  { comparison, scores, rule }: { comparison: ComparisonWithBest; scores: readonly Scored[]; rule: CompareRule },
): CompareLine {
  const { id, step } = own.checkpoint;
  const against = comparison.lines.find((line) => line.id === id);
  const best = scores.find((one) => one.checkpoint.id === comparison.best);
  const numbers = {
    checkpoint: id,
    step,
    score: own.mean,
    seeds: own.runs,
    chanceOfBest: against?.chanceOfBest ?? null,
    ...unfinishedShares(own),
  };
  if (best === undefined || against === undefined || own === best) {
    return { ...numbers, fromLeader: null, furtherSeeds: null, outcome: 'highest' };
  }
  const { fromBest } = against;
  const isBelow = rule.by === 'mean' ? own.mean < best.mean : fromBest.high < 0;
  if (isBelow) return { ...numbers, fromLeader: fromBest, furtherSeeds: null, outcome: 'below' };
  const furtherSeeds = furtherRunsThatDecide(pairOf(own, best, comparison), comparison.critical);
  return { ...numbers, fromLeader: fromBest, furtherSeeds, outcome: 'tied' };
}

/** What an order without numbers is worth: by the mean it decides; evidence it is none, since nobody knows how many runs it rests on. */
function lowerByWord(rule: CompareRule): CompareLine['outcome'] {
  return rule.by === 'mean' ? 'below' : 'tied';
}

function unscored(
  rule: CompareRule,
  { id, ids, outside }: { id: string; ids: readonly string[]; outside: readonly OutsideEvidence[] },
): CompareLine['outcome'] {
  const isHighest = ids.some((other) => isToldLower(outside, other, { benchmark: rule.benchmark, others: [id] }));
  return isHighest ? 'highest' : 'not-scored';
}

function comparable({ checkpoint, mean, problems, standardError }: Scored): Comparable {
  return { id: checkpoint.id, mean, problems, standardError };
}

function pairOf(one: Scored, best: Scored, comparison: ComparisonWithBest): PairOfScores {
  const against = comparison.lines.find((line) => line.id === one.checkpoint.id);
  return {
    difference: against?.fromBest.mean ?? 0,
    standardError: against?.standardError ?? 0,
    one: sampled(one),
    other: sampled(best),
  };
}

function sampled({ runs, problems, standardError }: Scored) {
  return { runs, varianceWithin: problems === null ? standardError ** 2 : varianceWithin(problems) };
}

/** Of equal means the earlier leads. */
function earlierFirst(a: Scored, b: Scored): number {
  return a.checkpoint.step - b.checkpoint.step || (a.checkpoint.id < b.checkpoint.id ? -1 : 1);
}

function rankOf({ outcome }: CompareLine): number {
  return ['highest', 'tied', 'not-scored', 'below'].indexOf(outcome);
}

function earlierLine(a: CompareLine, b: CompareLine): number {
  return a.step - b.step || (a.checkpoint < b.checkpoint ? -1 : 1);
}
