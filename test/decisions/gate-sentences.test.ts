import { type GateVerdict } from '../../decisions/gate.ts';
import { sentencesOfStage, sentenceOfVerdict, whyNot } from '../../decisions/gate-sentences.ts';
import { checkpoint } from '../support/builders.ts';

const line = { checkpoint: 'c1', step: 10, score: 0.5, seeds: 2 };
const estimate = { mean: 0.01, low: -0.03, high: 0.05, n: 40 };
test.each<{ verdict: GateVerdict; want: string }>([
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: null,
      because: { rule: 'no-gate', step: 10 },
      stages: [],
    },
    want: 'Promoted c1: no gate is set, and it is the newest, at step 10.',
  },
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: null,
      because: { rule: 'newest', step: 10, passed: 2 },
      stages: [],
    },
    want: 'Promoted c1: the newest of 2 candidates that passed, at step 10.',
  },
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: 0.5,
      because: { rule: 'highest', benchmark: 'addition', score: 0.5, next: null },
      stages: [],
    },
    want: 'Promoted c1: highest on addition with 50.0 %; it is the only candidate.',
  },
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: 0.5,
      because: {
        rule: 'highest',
        benchmark: 'addition',
        score: 0.5,
        next: { checkpoint: 'c2', score: 0.4 },
      },
      stages: [],
    },
    want: 'Promoted c1: highest on addition with 50.0 %; next is c2 with 40.0 %.',
  },
  {
    verdict: {
      kind: 'promote',
      checkpoint: checkpoint('c1', 10),
      score: 0.5,
      because: { rule: 'tie', by: 'earlier', benchmark: 'addition', among: 3 },
      stages: [],
    },
    want: 'Promoted c1: 3 candidates cannot be told apart on addition, and it is the earliest.',
  },
  {
    verdict: {
      kind: 'more-evaluations',
      missing: [],
      because: { rule: 'first-seeds', seeds: 2, missing: 1 },
      stages: [],
    },
    want: '1 evaluation missing before the gate can judge (seeds 1 to 2 of each candidate, and of a parent that is the bound).',
  },
  {
    verdict: {
      kind: 'more-evaluations',
      missing: [],
      because: { rule: 'undecided', benchmark: 'addition', contenders: ['c1', 'c2'], missing: 3 },
      stages: [],
    },
    want: 'The evidence on addition does not decide for c1, c2: 3 evaluations more.',
  },
  {
    verdict: { kind: 'hold', because: { rule: 'no-candidates' }, stages: [] },
    want: 'Held: there is no candidate to promote.',
  },
  {
    verdict: { kind: 'hold', because: { rule: 'evaluation-budget', missing: 3, left: 1 }, stages: [] },
    want: 'Held: 3 evaluations would be needed, and the budget leaves 1.',
  },
  {
    verdict: {
      kind: 'reject',
      because: { rule: 'none-passed', stage: 0, candidates: 1 },
      stages: [{ stage: 'score-at-least', benchmark: 'addition', atLeast: 0.9, lines: [] }],
    },
    want: 'Rejected: none of 1 candidate passed "At least 90.0 % on addition".',
  },
])('$want', ({ verdict, want }) => {
  expect(sentenceOfVerdict(verdict)).toBe(want);
});

test('each stage is told with its numbers', () => {
  const parent = { checkpoint: 'p', score: 0.49, seeds: 1 };
  const bound = { ...line, estimate, decidedBy: 'point-estimate' as const, outcome: 'passed' as const };
  expect(
    sentencesOfStage({ stage: 'not-worse-than-parent', benchmark: 'addition', margin: 0.02, parent, lines: [bound] }),
  ).toEqual([
    'Not more than 2.0 points below the parent on addition:',
    "c1: 50.0 %, +1.0 (−3.0 to +5.0) points to the parent's 49.0 % (passed by the point estimate: 2 seeds left it open).",
  ]);
  expect(
    sentencesOfStage({
      stage: 'not-worse-than-parent',
      benchmark: 'addition',
      margin: 0,
      parent: null,
      lines: [{ ...bound, estimate: null, decidedBy: 'no-parent' }],
    })[1],
  ).toBe('c1: 50.0 %, passes: there is no parent to compare with.');
  expect(
    sentencesOfStage({
      stage: 'score-at-least',
      benchmark: 'addition',
      atLeast: 0.4,
      lines: [{ ...bound, estimate: { ...estimate, low: 0.45, high: 0.55 }, decidedBy: 'interval' }],
    })[1],
  ).toBe('c1: 50.0 %, 45.0 % to 55.0 % (passed with 2 seeds).');
  const ranked = { ...line, tokensPerSample: 9.5, fromLeader: null, tied: true };
  expect(
    sentencesOfStage({
      stage: 'rank',
      benchmark: 'addition',
      tie: ['tokens', 'earlier'],
      lines: [ranked, { ...ranked, checkpoint: 'c2', fromLeader: estimate }],
    }),
  ).toEqual([
    'Highest mean on addition; inside the noise: fewer tokens, then earlier:',
    'c1: 50.0 %, 9.5 tokens per sample, the highest mean.',
    'c2: 50.0 %, 9.5 tokens per sample, +1.0 (−3.0 to +5.0) points to the highest, inside the noise.',
  ]);
});

test.each([
  { vote: { samples: 8 }, want: 'maj@8: each problem scored by the vote of its 8 samples' },
  { vote: { samples: 16, of: 8 }, want: 'maj@8: each problem scored by votes of 8 of its 16 samples' },
  {
    vote: { samples: 8, weight: 'answer-entropy' as const },
    want: 'maj@8: each problem scored by the vote of its 8 samples, votes weighed by answer-entropy',
  },
  {
    vote: { samples: 8, agreeing: 4 },
    want: 'each problem scored by the vote of its samples, which ends when 4 of up to 8 agree',
  },
])('a stage says that its scores are votes, and which: $want', ({ vote, want }) => {
  const [title] = sentencesOfStage({
    stage: 'score-at-least',
    benchmark: 'addition',
    atLeast: 0.4,
    vote,
    lines: [{ ...line, estimate, outcome: 'passed', decidedBy: 'interval' }],
  });
  expect(title).toBe(`At least 40.0 % on addition (${want}):`);
});

test('a score says what of its samples was late or cut, of the parent too', () => {
  const late = { ...line, timedOutShare: 0.125, truncatedShare: 0.0625 };
  const stage = {
    stage: 'not-worse-than-parent',
    benchmark: 'addition',
    margin: 0.02,
    parent: { checkpoint: 'parent', score: 0.49, seeds: 2, truncatedShare: 0.25 },
    lines: [{ ...late, estimate, outcome: 'undecided', decidedBy: null }],
  } as const;
  expect(sentencesOfStage(stage)[1]).toBe(
    "c1: 50.0 % (of its samples 12.5 % not done in time, 6.3 % cut at the limit of tokens), +1.0 (−3.0 to +5.0) points to the parent's 49.0 % (of its samples 25.0 % cut at the limit of tokens) (undecided with 2 seeds).",
  );
  const ranked = { ...late, tokensPerSample: 9.5, fromLeader: null, tied: true };
  expect(sentencesOfStage({ stage: 'rank', benchmark: 'addition', tie: [], lines: [ranked] })[1]).toMatch(
    /^c1: 50\.0 % \(of its samples 12\.5 % not done in time, /,
  );
});

test('one that passed but is older than the promoted one hears so', () => {
  const verdict: GateVerdict = {
    kind: 'promote',
    checkpoint: checkpoint('c2', 20),
    score: null,
    because: { rule: 'newest', step: 20, passed: 2 },
    stages: [],
  };
  expect(whyNot(verdict, 'c1')).toBe('c2 is newer.');
});
