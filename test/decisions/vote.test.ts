import { isDecided, votesOf } from '../../decisions/vote.ts';

const ballots = (answers: readonly (string | null)[], entropies: readonly (number | null)[] = []) => ({
  answers,
  entropies,
  correctAnswers: answers.map((answer) => answer === 'right'),
});
const [r, w, v] = ['right', 'wrong', 'other'];

test.each([
  { title: 'most are right', answers: [r, r, w], policy: {}, want: 1 },
  { title: 'most are wrong', answers: [w, r, w], policy: {}, want: 0 },
  { title: 'a tie of two', answers: [w, r, r, w], policy: {}, want: 1 / 2 },
  { title: 'a tie of three', answers: [w, r, v], policy: {}, want: 1 / 3 },
  { title: 'what has no answer does not vote', answers: [null, null, null, r], policy: {}, want: 1 },
  { title: 'nobody votes', answers: [null, null], policy: {}, want: 0 },
  { title: 'two agree', answers: [w, r, r], policy: { agreeing: 2 }, want: 1 },
  {
    title: 'two agreed before others were more: whoever sampled on comes to the same',
    answers: [w, w, r, r, r],
    policy: { agreeing: 2 },
    want: 0,
  },
  { title: 'too few agree: most of all', answers: [r, r, w, null], policy: { agreeing: 3 }, want: 1 },
  { title: 'a vote of two of them, ties shared', answers: [r, r, r, r], policy: { of: 2 }, want: 1 },
])('$title', ({ answers, policy, want }) => {
  expect(votesOf([ballots(answers as (string | null)[])], policy)).toEqual([want]);
});

test.each([
  // 1/1 + 1/3 against 1/1.5
  {
    title: 'two against a surer one',
    answers: [r, r, w],
    entropies: [0, 2, 0.5],
    policy: { weight: 'answer-entropy' },
    want: 1,
  },
  // 1/4 + 1/4 against 1/1
  {
    title: 'a sure one against two that guess',
    answers: [r, w, w],
    entropies: [0, 3, 3],
    policy: { weight: 'answer-entropy' },
    want: 1,
  },
  {
    title: 'over all tokens',
    answers: [w, w, r],
    entropies: [0.5, 0.5, 0.2],
    policy: { weight: 'token-entropy' },
    want: 1,
  },
  {
    title: 'without any doubt',
    answers: [w, w, r],
    entropies: [0.1, 0.1, 0],
    policy: { weight: 'token-entropy' },
    want: 1,
  },
  {
    title: 'equal weights share',
    answers: [w, r],
    entropies: [0.3, 0.3],
    policy: { weight: 'token-entropy' },
    want: 1 / 2,
  },
  {
    title: 'what has no answer does not vote',
    answers: [null, r],
    entropies: [0, 9],
    policy: { weight: 'answer-entropy' },
    want: 1,
  },
  {
    title: 'what so many agree on stands, however unsure they were',
    answers: [w, w, r],
    entropies: [9, 9, 0],
    policy: { agreeing: 2, weight: 'answer-entropy' },
    want: 0,
  },
] as const)('weighed by entropy, $title', ({ answers, entropies, policy, want }) => {
  expect(votesOf([ballots(answers, entropies)], policy)).toEqual([want]);
});

test('a vote of 8 of 16 is maj@8: between one vote of all and the share of right samples', () => {
  const sixteen = ballots([...Array<string>(9).fill('right'), ...Array<string>(7).fill('wrong')]);
  const [ofEight] = votesOf([sixteen], { of: 8 });
  expect(ofEight).toBeGreaterThan(9 / 16);
  expect(ofEight).toBeLessThan(1);
});

test.each([
  { answers: [r, r], agreeing: 2, want: true },
  { answers: [r, w, null, null], agreeing: 2, want: false },
  { answers: [null, null], agreeing: 2, want: false },
  { answers: [r, r], agreeing: undefined, want: false },
])('$answers with $agreeing agreeing', ({ answers, agreeing, want }) => {
  expect(isDecided({ answers: answers as (string | null)[] }, { agreeing })).toBe(want);
});
