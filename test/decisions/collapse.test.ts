import {
  type CurvePoint,
  judgeCollapse,
  type Look,
  type LookScore,
  sentenceOfCollapse,
} from '../../decisions/collapse.ts';
import { normalNumbers } from '../../decisions/normal.ts';
import { randomIntegers } from '../../decisions/random.ts';

/** Published: 95 % intervals of about ±5 points for AIME and HMMT, ±3.4 for IMO-AnswerBench. */
const errors = { aime: 0.05 / 1.96, hmmt: 0.05 / 1.96, imo: 0.034 / 1.96 };
const look = (step: number, [aime, hmmt, imo]: readonly [number, number, number]): Look => ({
  step,
  scores: {
    aime: { mean: aime / 100, standardError: errors.aime },
    hmmt: { mean: hmmt / 100, standardError: errors.hmmt },
    imo: { mean: imo / 100, standardError: errors.imo },
  },
});
/** The step at which a run would have been stopped; null where it goes on to its end. */
const stopOf = (looks: readonly Look[]): number | null => {
  const at = looks.findIndex((_, index) => judgeCollapse(looks.slice(0, index + 1)).kind === 'stop');
  return looks[at]?.step ?? null;
};

/** Of "SAO on Reef". */
const grpo = [
  look(20, [83.3, 69.2, 50.1]),
  look(40, [82.5, 66.3, 51.6]),
  look(60, [78.8, 62.5, 49.2]),
  look(80, [74.2, 55, 46.5]),
];
const saoSeed0 = [
  look(20, [82.9, 67.5, 51.4]),
  look(40, [83.3, 67.1, 50.1]),
  look(60, [84.2, 62.5, 52.1]),
  look(80, [83.8, 62.9, 51.9]),
  look(99, [82.5, 68.3, 49.4]),
];
const saoContinued = [...saoSeed0, look(119, [82.1, 67.9, 50.1]), look(139, [80, 66.3, 50.3])];
const saoSeed1 = [look(20, [81.2, 67.1, 50.5]), look(40, [82.5, 68.3, 50.9]), look(60, [82.5, 65.8, 50])];

describe('on published curves', () => {
  test('the GRPO run is stopped at step 80 at the latest, and its reason names what its own curves said', () => {
    const step = stopOf(grpo);
    expect(step).not.toBeNull();
    expect(step).toBeLessThanOrEqual(80);
    const curves: CurvePoint[] = [
      { step: 20, metrics: { reward: 0.6, length: 19_000 } },
      { step: 80, metrics: { reward: 0.9, length: 1300 } },
    ];
    const verdict = judgeCollapse(grpo, curves);
    if (verdict.kind !== 'stop') throw new Error('it goes on');
    expect(verdict.goBackTo).toBe(20);
    expect(sentenceOfCollapse(verdict)).toMatch(
      /^The run is collapsing at step 80: aime from 81\.5 to 74\.2 %, hmmt from 66\.0 to 55\.0 %, imo from 50\.3 to 46\.5 % against .*; meanwhile reward 0\.60 → 0\.90, length 19000 → 1300\. Go back to step 20\.$/,
    );
  });

  test.each([
    { title: 'seed 0', looks: saoSeed0 },
    { title: 'seed 0, continued', looks: saoContinued },
    { title: 'seed 1', looks: saoSeed1 },
  ])('the SAO run of $title is never stopped, nor is any of its benchmarks alone', ({ looks }) => {
    expect(stopOf(looks)).toBeNull();
    for (const benchmark of ['aime', 'hmmt', 'imo']) {
      const alone = looks.map(({ step, scores }) => ({
        step,
        scores: { [benchmark]: scores[benchmark] as LookScore },
      }));
      expect(stopOf(alone)).toBeNull();
    }
  });

  test('a supervised run that first falls below its parent and wins after 10 epochs goes on', () => {
    // 285 problems × 16 samples; the base has 72.61, 77.86 and 92.28.
    const epoch = (step: number, passAt1: number, coverage: number): Look => ({
      step,
      scores: {
        passAt1: { mean: passAt1 / 100, standardError: 0.006 },
        coverage: { mean: coverage / 100, standardError: 0.017 },
      },
    });
    expect(stopOf([epoch(2, 68.6, 87.02), epoch(5, 70.88, 88.77), epoch(10, 73.38, 90.88)])).toBeNull();
  });
});

/** Looks of 30 problems × 8 samples; `chanceAt` moves the chance of every problem by the number of the look. */
function simulated(run: number, looks: number, moved: (look: number) => number): Look[] {
  const normal = normalNumbers(run);
  const next = randomIntegers(run + 1_000_003);
  const abilities = Array.from({ length: 30 }, () => 1.5 + 2.5 * normal());
  return Array.from({ length: looks }, (_, index) => {
    const problems = abilities.map((ability, problem) => {
      const chance = 1 / (1 + Math.exp(-ability - moved(index)));
      const right = Array.from({ length: 8 }, () => next() < chance * 2 ** 32).filter(Boolean).length;
      return { problem: String(problem), score: right / 8 };
    });
    return { step: index * 20, scores: { aime: { problems } } };
  });
}

test('of flat runs of 30 problems × 8 samples with 10 looks at most 5 % are stopped', () => {
  const runs = 400;
  let stopped = 0;
  for (let run = 0; run < runs; run += 1) if (stopOf(simulated(run, 10, () => 0)) !== null) stopped += 1;
  expect(stopped / runs).toBeLessThanOrEqual(0.05);
});

test('a run that loses what it had is stopped within two looks', () => {
  const runs = 50;
  let stopped = 0;
  for (let run = 0; run < runs; run += 1) {
    const step = stopOf(simulated(run, 6, (at) => (at < 4 ? 0 : -2)));
    if (step !== null && step >= 80) stopped += 1;
  }
  expect(stopped / runs).toBeGreaterThan(0.9);
});

test.each([
  { title: 'no look', looks: [] },
  { title: 'a first look, however bad', looks: [look(20, [5, 5, 5])] },
])('$title says nothing', ({ looks }) => {
  expect(judgeCollapse(looks)).toEqual({ kind: 'go-on', strength: 0, falls: [] });
});

test('looks may come in any order', () => {
  expect(judgeCollapse([...grpo].reverse())).toEqual(judgeCollapse(grpo));
});

test('a fall that is the same on every problem counts, and one of less than two points never does', () => {
  const level = (step: number, score: number): Look => ({
    step,
    scores: { aime: { problems: Array.from({ length: 30 }, (_, index) => ({ problem: String(index), score })) } },
  });
  expect(judgeCollapse([level(1, 0.8), level(2, 0.7)]).kind).toBe('stop');
  expect(judgeCollapse([level(1, 0.8), level(2, 0.785)]).kind).toBe('go-on');
});
