/**
 * The scores of a sweep: on its page the highest, by mean and interval alone; in its report whole rows, whose answers are read one row
 * after the other, so that jobs are watched meanwhile.
 *
 * Does not cover what a row says (decisions/leaderboard.ts).
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import { compareText } from '../decisions/compare-text.ts';
import type { Evaluation } from '../decisions/evaluation.ts';
import { intervalOf, leaderboardRow, type LeaderboardRow } from '../decisions/leaderboard.ts';
import { type PooledScore, type ScoreKey, scoreOf, wholeOf } from '../decisions/scores.ts';
import { sentenceOfSubject } from '../decisions/sweep-sentences.ts';
import type { Subject, SweptCheckpoint } from '../decisions/sweep.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { SweepRow } from '../workflows/contract.ts';
import type { SweepPlan, SweepState } from './sweep-state.ts';

/** On the page. */
const mostRows = 25;

interface Scored {
  readonly checkpoint: SweptCheckpoint;
  readonly key: ScoreKey;
  readonly score: PooledScore;
  /** That any evaluation of this benchmark and version has. */
  readonly problems: number;
}

/** The page has room for few. */
const mostSubjects = 3;

/** Its own pipeline, which stands in its name, comes first and is left out; others have it where a phase was reused. */
function whoseOf(id: string, subjects: readonly Subject[]): string {
  const isOwn = (subject: Subject) => subject.kind === 'named' || id.startsWith(`${subject.pipeline}/`);
  const own = subjects.filter(isOwn).map(({ kind }) => ownWords[kind]);
  const others = subjects.filter((subject) => !isOwn(subject)).map(sentenceOfSubject);
  const words = [...own, ...others.toSorted(compareText)];
  const more = words.length - mostSubjects;
  return [...words.slice(0, mostSubjects), ...(more > 0 ? [`${String(more)} more`] : [])].join(', ');
}

const ownWords: Readonly<Record<Subject['kind'], string>> = { champion: 'champion', running: 'newest', named: 'named' };

export function pageRows(
  { plan }: { readonly plan: SweepPlan },
  { evaluations }: Pick<SweepState, 'evaluations'>,
): readonly SweepRow[] {
  return highestFirst(plan, evaluations)
    .slice(0, mostRows)
    .map(({ checkpoint: { id, subjects }, key: { benchmark }, score }) => ({
      ...{ checkpoint: id, whose: whoseOf(id, subjects), benchmark },
      ...{ mean: score.mean, ...intervalOf(score), seeds: score.seeds.length },
    }));
}

export async function reportRows(
  ledger: Pick<Ledger, 'evaluationsOf'>,
  plan: SweepPlan,
  { evaluations, most }: { readonly evaluations: readonly Evaluation[]; readonly most: number },
): Promise<readonly LeaderboardRow[]> {
  const rows: LeaderboardRow[] = [];
  for (const { checkpoint, key, problems } of highestFirst(plan, evaluations).slice(0, most)) {
    const own = await ledger.evaluationsOf([checkpoint.id, ...(checkpoint.parent === null ? [] : [checkpoint.parent])]);
    const row = leaderboardRow({ checkpoint, key, evaluations: own.filter(isOn(key)), problems, verdict: undefined });
    if (row !== null) rows.push(row);
    await othersTurn();
  }
  return rows;
}

const isOn =
  ({ benchmark, version }: ScoreKey) =>
  (one: Evaluation): boolean =>
    one.benchmark === benchmark && one.version === version;

/** On each benchmark of the sweep, those with every problem where there are such. */
function highestFirst({ sweep, checkpoints }: SweepPlan, evaluations: readonly Evaluation[]): readonly Scored[] {
  return sweep.benchmarks.flatMap((benchmark) => {
    const versions = new Set(checkpoints.flatMap(({ versions }) => versions[benchmark] ?? []));
    const scored = [...versions].flatMap((version) => {
      const { whole, problems } = wholeOf(evaluations, { benchmark, version });
      return checkpoints
        .filter(({ versions }) => versions[benchmark] === version)
        .flatMap((checkpoint): readonly Scored[] => {
          const key = { checkpoint: checkpoint.id, benchmark, version };
          const score = scoreOf(whole, key) ?? scoreOf(evaluations, key);
          return score === null ? [] : [{ checkpoint, key, score, problems: problems.length }];
        });
    });
    return scored.sort((a, b) => b.score.mean - a.score.mean);
  });
}
