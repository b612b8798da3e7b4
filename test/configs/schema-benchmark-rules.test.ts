/** What goes together in a vote that is weighed; the other fields of a benchmark are in schema-rules.test.ts. */
import { rulesOfBenchmarkFields } from '../../configs/schema-benchmark-rules.ts';

const message = 'draws votes that weigh the same, and "weight" weighs them: name one of the two';

test.each([
  { vote: { weight: 'token-entropy' }, want: [] },
  { vote: { weight: 'answer-entropy', agreeing: 4 }, want: [] },
  { vote: { weight: 'token-entropy', of: 8 }, want: [{ path: ['benchmarks', 'hard', 'vote', 'of'], message }] },
])('a vote of $vote', ({ vote, want }) => {
  expect(rulesOfBenchmarkFields({ hard: { data: {}, grader: 'boxed-integer', samples: 8, vote } })).toEqual(want);
});
