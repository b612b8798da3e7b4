/**
 * What `temper compare` asks for: two checkpoints on the same problems, for each benchmark and version that both have.
 *
 * Covers finding them, their scores from outside, and refusing what cannot be compared. Does not cover the numbers (decisions/comparison.ts).
 */
import { type Comparison, compareTwo } from '../decisions/comparison.ts';
import { TemperError } from '../decisions/errors.ts';
import type { Evaluation } from '../decisions/evaluation.ts';
import { compareOutside } from '../decisions/outside-rows.ts';
import { type OutsideScore, standingScores } from '../decisions/outside-score.ts';
import { sentenceOfWithdrawal } from '../decisions/withdrawal.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { CompareQuestion, ComparisonAnswer } from '../workflows/contract-questions.ts';
import { requireBenchmark } from './answer-leaderboard.ts';
import { findCheckpoint } from './named-checkpoint.ts';
import { mustNotBePruned } from './pruned-checkpoint.ts';
import { shownWithdrawals } from './shown-withdrawals.ts';

/** Of each; what is beyond them was never evaluated at once. */
const mostComparisons = 20;

/** Throws `not-found` where one of them is not in the ledger, `invalid-input` with the reason where they cannot be compared. */
export async function answerCompare(ledger: Ledger, question: CompareQuestion): Promise<ComparisonAnswer> {
  const { benchmark } = question;
  const named = [await findCheckpoint(ledger, question.first), await findCheckpoint(ledger, question.second)] as const;
  const [first, second] = [named[0].checkpoint.id, named[1].checkpoint.id];
  if (first === second) throw new TemperError('invalid-input', `both are ${first}: name another checkpoint`);
  await requireBenchmark(ledger, benchmark);
  const own = async (id: string) =>
    (await ledger.evaluationsOf([id])).filter((one) => benchmark === undefined || one.benchmark === benchmark);
  const [ofFirst, ofSecond] = [await own(first), await own(second)];
  const common = benchmarksOf(ofFirst).filter((name) => benchmarksOf(ofSecond).includes(name));
  const told = standingScores(await ledger.outsideScoresOf([first, second])).filter(
    (one) => benchmark === undefined || one.benchmark === benchmark,
  );
  const outside = compareOutside(told, { first, second });
  const gone = await shownWithdrawals(ledger, { checkpoints: [first, second], benchmark });
  if (common.length === 0 && outside.length === 0) {
    // What was evaluated is never pruned.
    for (const { checkpoint } of named) await mustNotBePruned(ledger, checkpoint);
    const toldOf = (id: string) => told.filter(({ checkpoint }) => checkpoint === id);
    const said = (id: string, evaluations: readonly Evaluation[]) => `${id}: ${namesOf(evaluations, toldOf(id))}`;
    const withdrawn = (gone.withdrawn ?? []).map((one) => `. Withdrawn: ${sentenceOfWithdrawal(one)}`).join('');
    const message = `they cannot be compared: nothing was evaluated on the same benchmark and version. ${said(first, ofFirst)}. ${said(second, ofSecond)}${withdrawn}`;
    throw new TemperError('invalid-input', message);
  }
  const comparisons = common.slice(0, mostComparisons).flatMap((name): Comparison[] => {
    const [found] = ofFirst.filter((one) => nameOf(one) === name);
    if (found === undefined) return [];
    const key = { first, second, benchmark: found.benchmark, version: found.version };
    const compared = compareTwo([...ofFirst, ...ofSecond], key);
    return compared === null ? [] : [compared];
  });
  const compared = comparisons.map(nameOf);
  const incomparable = common.slice(0, mostComparisons).filter((name) => !compared.includes(name));
  const omitted = Math.max(0, common.length - mostComparisons);
  const relation = await relationOf(ledger, named[0].checkpoint, named[1].checkpoint);
  if (comparisons.length > 0 || outside.length > 0)
    return {
      ...{ answer: 'compare', first, second, comparisons, omitted, outside: outside.slice(0, mostComparisons) },
      ...{ outsideOmitted: Math.max(0, outside.length - mostComparisons), incomparable },
      ...(relation !== null && { relation }),
      ...gone,
    };
  throw new TemperError(
    'invalid-input',
    `they cannot be compared: on ${common.join(', ')} they have no problem in common`,
  );
}

/** Where one was made from the other. A merge trains nothing, and what moves by it is not what training moved. */
async function relationOf(ledger: Ledger, one: CheckpointRecord, other: CheckpointRecord): Promise<string | null> {
  const child = other.parent === one.id ? other : one.parent === other.id ? one : null;
  if (child === null) return null;
  const [made, from] = child === other ? ['the second', 'the first'] : ['the first', 'the second'];
  const kind = (await ledger.phasesOf(child.runId)).find(({ phase }) => phase === child.phase)?.kind;
  if (kind === 'mxfp4-merge')
    return `${made} is ${from} merged and rounded to MXFP4, with no training between: problems move by the rounding and by the luck of their samples`;
  return `${made} was made from ${from} by ${child.phase}${kind === undefined || kind === child.phase ? '' : ` (${kind})`}, step ${String(child.step)}`;
}

const nameOf = ({ benchmark, version }: Pick<Evaluation, 'benchmark' | 'version'>): string =>
  `${benchmark} (version ${String(version)})`;

function benchmarksOf(evaluations: readonly Evaluation[]): readonly string[] {
  return [...new Set(evaluations.map(nameOf))].sort();
}

function namesOf(evaluations: readonly Evaluation[], told: readonly OutsideScore[]): string {
  const outside = [...new Set(told.map(nameOf))].sort().map((name) => `${name} from outside`);
  return [...benchmarksOf(evaluations), ...outside].join(', ') || 'never evaluated';
}
