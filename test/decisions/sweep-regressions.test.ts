/** What a sweep calls worse than last time. */
import { comparedWithLast, type RegressionInput } from '../../decisions/sweep-regressions.ts';
import {
  linesOfSweep,
  needsAPerson,
  sentenceOfComparison,
  sentenceOfRegression,
  sentenceOfSkipped,
  sentenceOfSweep,
} from '../../decisions/sweep-sentences.ts';
import type { Subject, SweepReport, SweptCheckpoint } from '../../decisions/sweep.ts';
import { checkpoint, evaluation } from '../support/builders.ts';
import { level } from '../support/gate-builders.ts';

/** Two nights: the checkpoint of each, and what it scores. */
interface Nights {
  readonly before: SweptCheckpoint;
  readonly now: SweptCheckpoint;
  readonly then: readonly number[];
  readonly today: readonly number[];
}

const champion: Subject = { kind: 'champion', pipeline: 'demo' };
const swept = (id: string, subjects: readonly Subject[] = [champion], version = 1): SweptCheckpoint => ({
  ...checkpoint(id, 10),
  ...{ subjects, versions: { addition: version }, group: 'one' },
});
const scored = (id: string, correct: readonly number[]) => evaluation(id).scoring(correct).build();
const compared = (input: RegressionInput) => comparedWithLast(input, () => Promise.resolve());
const worse = async ({ before, now, then, today }: Nights) => {
  const { regressions } = await compared({
    before: [before],
    now: [now],
    benchmarks: ['addition'],
    evaluations: [scored(before.id, then), scored(now.id, today)],
  });
  return regressions;
};
const report: SweepReport = {
  ...{ outcome: 'completed', evaluated: 3, hours: 0.5, rows: [], comparedWith: null, regressions: [], skipped: [] },
  ...{ nights: { overlap: 0, missed: 0 }, clock: [] },
};

test('a champion that is surely below the one of last night, with both numbers and the interval', async () => {
  const [one] = await worse({ before: swept('old'), now: swept('new'), then: level(3), today: level(2, 10) });
  expect(one).toMatchObject({ subject: champion, before: { checkpoint: 'old' }, now: { checkpoint: 'new' } });
  expect(one && sentenceOfRegression(one)).toMatch(
    /^champion of demo is worse on addition: 75\.0 % \(old\) → 56\.3 % \(new\), −18\.8 \(.*\) points over 40 problems$/,
  );
});

test.each([
  {
    title: 'a difference inside the noise',
    before: swept('old'),
    now: swept('new'),
    then: level(2, 3),
    today: level(2, 2),
  },
  { title: 'a better one', before: swept('old'), now: swept('new'), then: level(2), today: level(3) },
  { title: 'the checkpoint of last night', before: swept('same'), now: swept('same'), then: level(2), today: level(2) },
  {
    title: 'another pipeline',
    before: swept('old', [{ kind: 'champion', pipeline: 'other' }]),
    ...{ now: swept('new'), then: level(3), today: level(1) },
  },
  { title: 'another version', before: swept('old', [champion], 2), now: swept('new'), then: level(3), today: level(1) },
])('$title is no regression', async (nights) => {
  expect(await worse(nights)).toEqual([]);
});

test('two checkpoints that are named are themselves every night: neither is worse than the other', async () => {
  const named = (checkpoint: string) => swept(checkpoint, [{ kind: 'named', checkpoint }]);
  const both = [named('high'), named('low')];
  const evaluations = [scored('high', level(3)), scored('low', level(1))];
  const found = await compared({ before: both, now: both, benchmarks: ['addition'], evaluations });
  expect(found).toEqual({ compared: 0, unchanged: 2, regressions: [] });
});

test('a person is told of what they can do something about, and of nothing when all is well', () => {
  expect(needsAPerson(report)).toBe(false);
  expect(sentenceOfSweep(report)).toBe('3 evaluations in 0.50 h of jobs, nothing to compare with yet');
  const second = { ...report, comparedWith: '2026-11-28T03:00:00.000Z' };
  expect(sentenceOfSweep(second)).toBe('3 evaluations in 0.50 h of jobs, nothing is worse');
  const nights = { overlap: 1, missed: 3 };
  const gone = {
    what: 'demo/sft/a1/checkpoint-50',
    because: { rule: 'deleted', path: '/store/x', pruned: null },
  } as const;
  const told = { ...report, nights, skipped: [gone] };
  expect(needsAPerson(told)).toBe(true);
  expect(linesOfSweep(told)).toEqual([
    'Since the last sweep 3 starts were skipped while no worker or server was there for longer than a start may be late, and 1 start was skipped because the sweep before still ran.',
    'demo/sft/a1/checkpoint-50: deleted by nobody that the ledger knows, /store/x is not there any more',
  ]);
  expect(needsAPerson({ ...told, outcome: 'cancelled' })).toBe(false);
  expect(needsAPerson({ ...report, outcome: 'failed' })).toBe(true);
});

test('a report from before something was written down says nothing of it', () => {
  const old = { ...report, comparedWith: '2026-11-28T03:00:00.000Z' };
  const last = 'the sweep of 2026-11-28 03:00';
  expect(sentenceOfComparison(old)).toBe(`Nothing is worse than in ${last}.`);
  expect(sentenceOfComparison({ ...old, compared: 0 })).toBe(`There was nothing to compare with ${last}.`);
  expect(sentenceOfComparison({ ...old, compared: 0, unchanged: 0 })).toMatch(/: none of .* was evaluated in both\.$/);
  expect(sentenceOfComparison({ ...old, compared: 0, unchanged: 1 })).toMatch(/: 1 score is of the same checkpoint/);
  const gone = { what: 'demo/sft/a1/checkpoint-50', because: { rule: 'deleted', path: '/store/x' } } as const;
  expect(sentenceOfSkipped(gone)).toBe('demo/sft/a1/checkpoint-50: deleted, /store/x is not there any more');
});

test('many of one kind are counted, so that a message stays one', () => {
  const skipped = Array.from({ length: 20 }, (_, at) => ({ what: String(at), because: { rule: 'unknown' } as const }));
  const lines = linesOfSweep({ ...report, skipped });
  expect([lines.length, lines.at(-1)]).toEqual([9, '… and 12 more skipped']);
});

test('what stays so until a recipe or a profile is changed is told when it is new', () => {
  const lacks = (what: string) => ({ what, because: { rule: 'no-benchmark', benchmark: 'b', recipe: 'r' } }) as const;
  const one = { ...report, skipped: [lacks('old')] };
  expect(needsAPerson(one)).toBe(true);
  expect(needsAPerson(one, one.skipped)).toBe(false);
  expect(needsAPerson({ ...one, skipped: [lacks('old'), lacks('new')] }, one.skipped)).toBe(true);
});

test('of many that are looked at, one is worse only where luck would show none: the interval is widened', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => String(index));
  const subject = (pipeline: string): Subject => ({ kind: 'champion', pipeline });
  const nightOf = (name: string) => ids.map((id) => swept(`${name}-${id}`, [subject(id)]));
  const same = ids.slice(1).flatMap((id) => [scored(`old-${id}`, level(2)), scored(`new-${id}`, level(2))]);
  const first = [scored('old-0', level(3)), scored('new-0', level(2, 10))];
  const of = async (among: number) => {
    let turns = 0;
    const [before, now] = [nightOf('old').slice(0, among), nightOf('new').slice(0, among)];
    const evaluations = [...first, ...same];
    const found = await comparedWithLast({ before, now, benchmarks: ['addition'], evaluations }, () => {
      turns += 1;
      return Promise.resolve();
    });
    // A worker that compares many does its other work between two of them.
    expect([found.compared, turns]).toEqual([among, 2 * among]);
    return found.regressions[0]?.difference.low ?? 0;
  };
  expect(await of(40)).toBeLessThan(await of(1));
});
