/** How write-ups evaluated, as benchmarks of a recipe: what each makes of the same samples. */
import { recipeSchema } from '../../configs/schema.ts';
import { readOutcomes } from '../../decisions/outcomes.ts';
import { recipeOf } from '../support/recipes.ts';

const problems = { data: { tiny: 'held-out' }, grader: 'boxed-integer', temperature: 1 };
/** Eight attempts, stopped when four agree; min(300 s + what was saved, 900 s) a problem; the notebook's 17,520 s. */
const fourOfEight = {
  ...problems,
  samples: 8,
  vote: { agreeing: 4 },
  time: { problemMinutes: 5, upToMinutes: 15, runMinutes: 292 },
};
/** Sixteen samples of each, maj@8 by 2,000 draws. */
const eightOfSixteen = { ...problems, samples: 16, vote: { of: 8 } };

const answers = ['7', '9', '7', null, '7', '9', '9', '9', '7', '7', '7', '7', '7', '7', '7', '7'];
const rows = (count: number) =>
  answers.slice(0, count).map((answer, sample) =>
    JSON.stringify({
      problem: 'p',
      sample,
      correct: answer === '7',
      answer,
      tokens: 9,
      truncated: false,
      seconds: 1,
    }),
  );

async function scored(given: object, count: number): Promise<number | string> {
  const { p } = recipeSchema.parse(recipeOf([], { benchmarks: { p: given } })).benchmarks;
  if (p === undefined || p.outside === true) throw new Error('no benchmark');
  const read = await readOutcomes(rows(count), { samples: p.samples, vote: p.vote, problems: 1 });
  return read.kind === 'whole' ? (read.problems[0]?.voted ?? 'no vote') : read.why;
}

test('four of eight that agree stand, though more would have come to another answer', async () => {
  expect(await scored(fourOfEight, 8)).toBe(0);
  expect(await scored(fourOfEight, 7)).toBe('it has 7 of problem p, and 8 samples are asked for');
});

test('a vote of eight of sixteen is nearly always right where eleven of sixteen are', async () => {
  const score = await scored(eightOfSixteen, 16);
  expect(score).toBeGreaterThan(0.9);
  expect(score).toBeLessThan(1);
  expect(await scored(eightOfSixteen, 8)).toBe('it has 8 of problem p, and 16 samples are asked for');
});
