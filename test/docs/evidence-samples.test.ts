/** The leaderboard and the comparison that the docs show are what the code prints of these evaluations. */
import { compareTwo } from '../../decisions/comparison.ts';
import type { Evaluation } from '../../decisions/evaluation.ts';
import type { GateVerdict } from '../../decisions/gate-report.ts';
import { judgeGate } from '../../decisions/gate.ts';
import { leaderboard } from '../../decisions/leaderboard.ts';
import { comparisonText } from '../../workers/terminal/comparison-text.ts';
import { leaderboardText } from '../../workers/terminal/leaderboard-text.ts';
import { checkpoint } from '../support/builders.ts';
import { readPages, samplesOf } from './pages.ts';

const sft = checkpoint('tiny/sft/a1/checkpoint-50', 50, { phase: 'sft', parent: null });
const [c20, c40] = [20, 40].map((step) =>
  checkpoint(`tiny/drgrpo/a1/checkpoint-${String(step)}`, step, { phase: 'drgrpo', parent: sft.id }),
);

/** Of 40 problems with 8 samples: the later a problem, the fewer are right, and the more by how much it `adds`. */
function made(of: string, adds: (problem: number) => number, tokens: number): Evaluation {
  const problems = Array.from({ length: 40 }, (_, index) => {
    const correct = Math.max(0, Math.min(8, 7 - Math.floor(index / 5) + adds(index)));
    const correctAnswers = Array.from({ length: 8 }, (_, sample) => sample < correct);
    return {
      problem: `problem-${String(index + 1)}`,
      type: index % 4 === 0 ? 'geometry' : 'algebra',
      samples: 8,
      correct,
      tokens: 8 * (tokens + 20 * index),
      truncated: correct === 0 ? 1 : 0,
      seconds: 4 + (index % 5),
      answers: correctAnswers.map((right, sample) => (right ? 'right' : `wrong ${String(sample % 3)}`)),
      correctAnswers,
    };
  });
  return { checkpoint: of, benchmark: 'hard-40', version: 1, seed: 1, problems };
}

if (c20 === undefined || c40 === undefined) throw new Error('two candidates');
const evaluations = [
  made(sft.id, () => 0, 3000),
  made(c20.id, (index) => (index % 3 === 0 ? 1 : 0), 2900),
  made(c40.id, (index) => (index % 4 === 0 ? -1 : index % 5 === 0 ? 5 : 2), 2700),
];
const verdict: GateVerdict = judgeGate({
  stages: [
    { require: { notWorseThanParent: { benchmark: 'hard-40', margin: 0.02 } } },
    { rank: { by: 'hard-40', tie: ['tokens', 'earlier'] } },
  ],
  evaluate: { benchmarks: ['hard-40'], seeds: 1, maxSeeds: 1 },
  candidates: [c20, c40],
  parent: sft,
  evaluations,
  versions: { 'hard-40': 1 },
  evaluationBudgetLeft: 0,
});

const page = readPages().find(({ path }) => path === 'docs/how-to/choose-a-checkpoint.md');
const shown = (language: string) => samplesOf(page?.text ?? '').find((sample) => sample.language === language)?.text;

test('the leaderboard', () => {
  const rows = leaderboard({ checkpoints: [sft, c20, c40], evaluations, verdicts: { drgrpo: verdict } });
  expect(shown('text leaderboard')).toBe(leaderboardText(rows));
});

test('the comparison', () => {
  const comparison = compareTwo(evaluations, { first: sft.id, second: c40.id, benchmark: 'hard-40', version: 1 });
  if (comparison === null) throw new Error('nothing in common');
  const answer = { answer: 'compare' as const, first: sft.id, second: c40.id, comparisons: [comparison], omitted: 0 };
  expect(shown('text compare')).toBe(comparisonText(answer));
});
