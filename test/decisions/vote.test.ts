import { isDecided, votesOf } from '../../decisions/vote.ts';

const ballots = (answers: readonly (string | null)[]) => ({
  answers,
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
