/** Scores after shrinkage, on candidates whose true accuracy is known, and where there is nothing to shrink. */
import { judgeGate } from '../../decisions/gate.ts';
import { sentenceOfVerdict } from '../../decisions/gate-sentences.ts';
import { normalNumbers } from '../../decisions/normal.ts';
import { randomIntegers } from '../../decisions/random.ts';
import { type ScoreAmong, shrunkenScores } from '../../decisions/shrinkage.ts';
import { mean } from '../../decisions/statistics.ts';
import { evaluation } from '../support/builders.ts';
import { c10, c20, gateInput, noisy, rank } from '../support/gate-builders.ts';

interface Trial {
  readonly title: string;
  readonly candidates: number;
  readonly problems: number;
  readonly samples: number;
  /** Standard deviation of true accuracies. */
  readonly spread: number;
}

/** Candidates of one draw: each is as good as its accuracy says on the average of problems that are easy or hard for all. */
function drawn({ candidates, problems, samples, spread }: Trial, draw: number) {
  const normal = normalNumbers(draw);
  const next = randomIntegers(draw);
  return Array.from({ length: candidates }, (_, index) => {
    const truth = Math.min(0.7, Math.max(0.3, 0.5 + spread * normal()));
    const outcomes = Array.from({ length: problems }, (_, problem) => {
      const chance = truth + 0.28 * ((2 * problem) / (problems - 1) - 1);
      let correct = 0;
      for (let sample = 0; sample < samples; sample += 1) if (next() < chance * 2 ** 32) correct += 1;
      return { problem: String(problem), samples, correct, tokens: samples, score: correct / samples };
    });
    const score: ScoreAmong = {
      id: String(index),
      mean: mean(outcomes.map((one) => one.score)) ?? NaN,
      problems: outcomes,
      standardError: NaN,
    };
    return { truth, score };
  });
}

test.each([
  { title: '10 alike, 30 problems × 8', candidates: 10, problems: 30, samples: 8, spread: 0, lucky: 0.03 },
  { title: '6 alike, 50 problems × 1', candidates: 6, problems: 50, samples: 1, spread: 0, lucky: 0.06 },
  {
    title: '9 that differ by 3 points, 30 problems × 8',
    candidates: 9,
    problems: 30,
    samples: 8,
    spread: 0.03,
    lucky: 0.02,
  },
])('of $title, the highest is lucky, and after shrinkage near the truth', ({ lucky, ...trial }) => {
  const draws = 200;
  const seen = Array.from({ length: draws }, (_, draw) => {
    const all = drawn(trial, draw + 1);
    const highest = all.reduce((best, other) => (other.score.mean > best.score.mean ? other : best));
    const own = shrunkenScores(all.map(({ score }) => score)).find(({ id }) => id === highest.score.id);
    const { mean: left = NaN, low = NaN, high = NaN } = own ?? {};
    const { truth } = highest;
    return { raw: highest.score.mean - truth, shrunken: left - truth, covered: low <= truth && truth <= high };
  });
  const luck = mean(seen.map(({ raw }) => raw)) ?? NaN;
  expect(luck).toBeGreaterThan(lucky);
  expect(Math.abs(mean(seen.map(({ shrunken }) => shrunken)) ?? NaN)).toBeLessThan(luck / 4);
  expect(seen.filter(({ covered }) => covered).length / draws).toBeGreaterThan(0.93);
});

const known = (means: readonly number[], standardError: number): readonly ScoreAmong[] =>
  means.map((one, index) => ({ id: String(index), mean: one, problems: null, standardError }));

test('scores that differ by more than noise can stay what they are; those that differ by less become one', () => {
  const [low, high] = shrunkenScores(known([0.2, 0.8], 0.001));
  expect([low?.mean, high?.mean]).toEqual([expect.closeTo(0.2, 4), expect.closeTo(0.8, 4)]);
  for (const { mean: left } of shrunkenScores(known([0.49, 0.5, 0.51], 0.1))) expect(left).toBeCloseTo(0.5, 10);
});

test('one that was run more often is drawn less', () => {
  const [often, once] = shrunkenScores([
    { id: 'often', mean: 0.6, problems: null, standardError: 0.01 },
    { id: 'once', mean: 0.6, problems: null, standardError: 0.05 },
    { id: 'low', mean: 0.5, problems: null, standardError: 0.03 },
  ]);
  expect(often?.mean).toBeGreaterThan(once?.mean ?? NaN);
});

test('scores without any noise stay, and nothing was picked of one', () => {
  const problems = Array.from({ length: 4 }, (_, index) => ({
    problem: String(index),
    samples: 2,
    correct: 2,
    tokens: 1,
    score: 1,
  }));
  const same = { problems, mean: 1, standardError: 0 };
  expect(
    shrunkenScores([
      { id: 'a', ...same },
      { id: 'b', ...same },
    ]).map((one) => one.mean),
  ).toEqual([1, 1]);
  expect(shrunkenScores([{ id: 'a', ...same }])).toEqual([]);
});

test('an evaluation is as noisy beside a score from outside as it is beside another evaluation', () => {
  const told = { kind: 'runs', checkpoint: 'c20', benchmark: 'addition', mean: 0.45, runs: 1, problems: 40 } as const;
  const verdict = judgeGate(
    gateInput({
      stages: [rank('earlier')],
      evaluate: { benchmarks: ['addition'], seeds: 1, maxSeeds: 1 },
      parent: null,
      seen: [evaluation('c10').scoring(noisy())],
      candidates: [c10, c20],
      outside: [{ ...told, deviation: null }],
    }),
  );
  // Over 40 problems each has a standard error of eight points: both are drawn to the middle, and neither is sure.
  expect(verdict).toMatchObject({ kind: 'promote', shrunken: { scores: [{ id: 'c10' }, { id: 'c20' }] } });
  expect(sentenceOfVerdict(verdict)).toMatch(/ 47\.\d % \(3\d\.\d % to 5\d\.\d %\) after shrinkage\.$/);
});
