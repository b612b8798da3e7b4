import fc from 'fast-check';
import { majorityAtK } from '../../decisions/majority-vote.ts';

describe('maj@k', () => {
  const vote = (answers: (string | null)[], k: number) =>
    majorityAtK([{ answers, correctAnswers: answers.map((answer) => answer === 'right') }], k)[0];
  test.each<{ title: string; answers: (string | null)[]; k: number; want: number }>([
    { title: 'all agree and are right', answers: ['right', 'right'], k: 8, want: 1 },
    { title: 'all agree and are wrong', answers: ['a', 'a'], k: 8, want: 0 },
    { title: 'nobody answers', answers: [null, null], k: 8, want: 0 },
    { title: 'no samples', answers: [], k: 8, want: 0 },
    { title: 'a tie shares the vote', answers: ['right', 'a'], k: 2, want: 0.5 },
    { title: 'two of three right, three voters: p³ + 3p²(1−p)', answers: ['right', 'right', 'a'], k: 3, want: 20 / 27 },
    { title: 'one vote is pass@1', answers: ['right', 'a', 'b', 'c'], k: 1, want: 0.25 },
    { title: 'those without an answer do not vote', answers: ['right', null, null, null], k: 16, want: 1 - 0.75 ** 16 },
  ])('$title', ({ answers, k, want }) => {
    expect(vote(answers, k)).toBeCloseTo(want, 1);
  });

  test('is the same for the same samples in any order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('right', 'a', 'b', null), { maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        (answers, k) => {
          expect(vote([...answers].reverse(), k)).toBe(vote(answers, k));
        },
      ),
    );
  });

  test('judges each problem by itself, whatever stands beside it', () => {
    const one = { answers: ['right', 'a', 'a'], correctAnswers: [true, false, false] };
    const other = { answers: ['right', 'right'], correctAnswers: [true, true] };
    expect(majorityAtK([one, other, one], 5)).toEqual([majorityAtK([one], 5)[0], 1, majorityAtK([one], 5)[0]]);
  });
});
