/** What a person tells of a score from outside: what goes together, and over how many problems it is. */
import type { OutsideBenchmark } from '../../configs/schema.ts';
import type { ScoreInput } from '../../configs/schema-score.ts';
import { scoreEntry, sentenceOfScore } from '../../decisions/score-entry.ts';

const told = { checkpoint: 'demo/sft/a1/checkpoint-50', benchmark: 'public' };
const of50: OutsideBenchmark = { outside: true, version: 2, problems: 50 };
const ofAny: OutsideBenchmark = { outside: true, version: 2 };

test('a mean of runs with their spread, as it is kept and told', () => {
  const entry = scoreEntry({ ...told, score: '38.5/50', runs: 2, deviation: '2.5%', source: 'round 3' }, of50);
  expect(entry).toMatchObject({ score: 0.77, problems: 50, runs: 2, deviation: 0.025, version: 2 });
  expect(sentenceOfScore(entry)).toBe('public 77.0 % of 50 problems (2 runs), from round 3');
});

test.each<{ title: string; input: Partial<ScoreInput>; benchmark?: OutsideBenchmark; want: object }>([
  { title: 'the recipe says how many problems', input: { score: 0.8 }, want: { problems: 50 } },
  { title: 'the score does', input: { score: '28/35' }, benchmark: ofAny, want: { problems: 35, score: 0.8 } },
  { title: 'a person does', input: { score: '80%', problems: 35 }, benchmark: ofAny, want: { problems: 35 } },
  { title: 'a place alone', input: { place: 2 }, want: { score: null, problems: null, place: 2 } },
  { title: 'a time alone', input: { runtime: 253 }, want: { score: null, runtime: 253 } },
  { title: 'a limit that was kept', input: { runtime: 'kept' }, want: { runtime: 'kept' } },
])('$title', ({ input, benchmark = of50, want }) => {
  expect(scoreEntry({ ...told, ...input }, benchmark)).toMatchObject(want);
});

test.each<{ input: Partial<ScoreInput>; benchmark?: OutsideBenchmark; why: string }>([
  { input: {}, why: 'score: is missing: name a score, a place or a runtime' },
  {
    input: { score: 0.8 },
    benchmark: ofAny,
    why: 'problems: is missing: "public" does not say how many problems it has',
  },
  { input: { score: '28/35' }, why: 'score: is over 35 problems, and the recipe\'s "public" has 50' },
  {
    input: { score: '28/35', problems: 40 },
    benchmark: ofAny,
    why: 'score: is over 35 problems, and "problems" has 40',
  },
  { input: { place: 1, runs: 2 }, why: 'runs: goes with a score, and there is none' },
  { input: { score: 0.8, deviation: 0.1 }, why: 'deviation: is that of the score from run to run: name runs' },
  {
    input: { score: 0.8, runs: 2, deviation: 0.1, standardError: 0.1 },
    why: 'standardError: and deviation are there: name one of them',
  },
  { input: { score: 0.8, corrects: 'abc' }, why: 'note: is missing: say why the score is corrected' },
])('refused: $why', ({ input, benchmark = of50, why }) => {
  expect(() => scoreEntry({ ...told, ...input }, benchmark)).toThrow(why);
});
