import { readOutcomes, readShard, togetherAgain } from '../../decisions/outcomes.ts';

const row = (problem: string, sample: number, change: object = {}) =>
  JSON.stringify({ problem, sample, correct: true, answer: '2', tokens: 3, truncated: false, seconds: 0.5, ...change });
const whole = [row('a', 0), row('a', 1, { correct: false, answer: null }), row('b', 1), row('b', 0)];
const read = (lines: readonly string[], problems: number | null = 2) => readOutcomes(lines, { samples: 2, problems });

test('all samples of all problems are one outcome each, in the order of the file', async () => {
  expect(await read(whole)).toEqual({
    kind: 'whole',
    problems: [
      {
        ...{ problem: 'a', samples: 2, correct: 1, tokens: 6, truncated: 0, seconds: 1 },
        ...{ answers: ['2', null], correctAnswers: [true, false] },
      },
      expect.objectContaining({ problem: 'b', samples: 2, correct: 2 }),
    ],
  });
  expect((await read(whole, null)).kind).toBe('whole');
});

test.each([
  { title: 'no rows', lines: [], why: 'it has no rows' },
  { title: 'a sample twice', lines: [...whole, row('b', 1)], why: 'it has a sample of problem b twice' },
  {
    title: 'the same sample in place of another',
    lines: [row('a', 0), row('a', 0)],
    why: 'it has a sample of problem a twice',
  },
  { title: 'a sample too few', lines: whole.slice(0, 3), why: 'it has 1 of problem b, and 2 samples are asked for' },
  {
    title: 'a sample too many',
    lines: [...whole, row('a', 2)],
    why: 'it has sample 2 of problem a, and 2 samples are asked for from 0 on',
  },
  {
    title: 'a sample of another number',
    lines: [row('a', 0), row('a', 7)],
    why: 'it has sample 7 of problem a, and 2 samples are',
  },
  { title: 'a problem too few', lines: whole.slice(0, 2), why: 'it has 1 of 2 problems' },
  { title: 'a problem too many', lines: [...whole, row('c', 0), row('c', 1)], why: 'it has 3 of 2 problems' },
  { title: 'a number that is none', lines: [row('a', 0).replace('0.5', 'NaN')], why: 'its line 1 is no row' },
  { title: 'a number that JSON made null', lines: [row('a', 0, { seconds: NaN })], why: 'its line 1 is no row' },
  { title: 'a negative number', lines: [row('a', 0, { tokens: -1 })], why: 'its line 1 is no row' },
  { title: 'a field too few', lines: [whole[0] ?? '', '{"problem": "a"}'], why: 'its line 2 is no row' },
  { title: 'a torn row', lines: [whole[0] ?? '', '{"problem": "a", "samp'], why: 'its line 2 is no row' },
])('$title is no evaluation', async ({ lines, why }) => {
  expect(await read(lines)).toEqual({ kind: 'incomplete', why: expect.stringContaining(why) as string });
});

describe('shards', () => {
  const shard = (names: string, index: number, problems: number | null = 4) =>
    readShard(
      Array.from(names, (problem) => row(problem, 0)),
      { samples: 1, problems },
      { index, of: 2 },
    );
  const together = async (...shards: readonly string[]) => {
    const read = await Promise.all(shards.map((names, index) => shard(names, index)));
    const problems = read.map((one) => (one.kind === 'whole' ? one.problems : []));
    const all = togetherAgain(problems, 4);
    return all.kind === 'whole' ? all.problems.map(({ problem }) => problem).join('') : all.why;
  };

  const unknown = 'how many problems its shards have is not known';
  test.each([
    { title: 'its share', names: 'ac', index: 0, problems: 4, want: 'whole' },
    { title: 'all problems, of a trainer that knows no shards', names: 'abcd', index: 1, problems: 4, want: 'whole' },
    { title: 'nothing, where there is nothing for it', names: '', index: 1, problems: 1, want: 'whole' },
    { title: 'nothing of its share', names: '', index: 1, problems: 4, want: 'it has no rows' },
    { title: 'one too few', names: 'a', index: 0, problems: 4, want: 'it has 1 of the 2 problems of its shard' },
    {
      title: 'some of nobody knows how many',
      names: 'ac',
      index: 0,
      problems: null,
      want: unknown,
    },
    {
      title: 'nothing of nobody knows how many',
      names: '',
      index: 0,
      problems: null,
      want: unknown,
    },
  ])('one has $title', async ({ names, index, problems, want }) => {
    const read = await shard(names, index, problems);
    expect(read.kind === 'whole' ? 'whole' : read.why).toEqual(want);
  });

  test.each([
    { title: 'stand in the order of the problems', shards: ['ac', 'bd'], want: 'abcd' },
    { title: 'count each problem once', shards: ['abcd', 'abcd'], want: 'abcd' },
    { title: 'are whole where one made all', shards: ['abcd', 'ab'], want: 'abcd' },
    { title: 'lack what none made', shards: ['ab', 'ab'], want: 'all shards together have 2 of 4 problems' },
    { title: 'have no more than there is', shards: ['abcd', 'ex'], want: 'all shards together have 6 of 4 problems' },
  ])('together $title', async ({ shards, want }) => {
    expect(await together(...shards)).toBe(want);
  });
});

describe('a vote that two of four agreeing end', () => {
  const first = async (lines: readonly string[]) => {
    const read = await readOutcomes(lines, { samples: 4, problems: 1, vote: { agreeing: 2 } });
    return read.kind === 'whole' ? read.problems[0] : read.why;
  };
  const voted = (answers: readonly (string | null)[]) =>
    first(answers.map((answer, n) => row('a', n, { answer, correct: answer === '2' })));

  test('is whole with the samples up to the second that agrees', async () => {
    expect(await voted(['2', '1', '2'])).toMatchObject({ samples: 3, correct: 2, voted: 1 });
    expect(await voted(['1', '2', '1'])).toMatchObject({ samples: 3, voted: 0 });
  });

  test('comes to the same where a trainer that knows no votes takes all samples', async () => {
    expect(await voted(['1', '1', '2', '2'])).toMatchObject({ samples: 4, voted: 0 });
    expect(await voted(['1', '1'])).toMatchObject({ samples: 2, voted: 0 });
  });

  test('is no evaluation while no two agree and a sample is left', async () => {
    expect(await voted(['2', '1', null])).toBe('it has 3 of problem a, and 4 samples are asked for');
    expect(await voted(['2', '1', null, '3'])).toMatchObject({ voted: 1 / 3 });
  });

  test('leaves none out before its end', async () => {
    expect(await first([row('a', 0), row('a', 2)])).toBe('it has 2 of problem a, and 4 samples are asked for');
  });
});

describe('votes that are weighed by entropy', () => {
  const weighed = async (entropies: readonly (number | undefined)[]) => {
    const lines = entropies.map((entropy, n) =>
      row('a', n, { answer: n === 0 ? '2' : '1', correct: n === 0, entropy }),
    );
    // The order of the lines is not that of the samples.
    const vote = { weight: 'answer-entropy' } as const;
    const read = await readOutcomes(lines.toReversed(), { samples: 3, problems: 1, vote });
    return read.kind === 'whole' ? read.problems[0] : read.why;
  };

  test('count by how sure each sample was', async () => {
    expect(await weighed([0, 3, 3])).toMatchObject({ samples: 3, correct: 1, voted: 1 });
    expect(await weighed([1, 0.5, 0.5])).toMatchObject({ voted: 0 });
  });

  test('are no evaluation where a trainer does not tell it', async () => {
    expect(await weighed([0, undefined, 3])).toBe(
      'it has no entropy of sample 1 of problem a, by which votes are weighed',
    );
  });
});

test('samples that were not done in time are wrong, counted, and there', async () => {
  const late = { correct: false, answer: null, timedOut: true };
  expect(await read([row('a', 0), row('a', 1, late)], 1)).toMatchObject({
    kind: 'whole',
    problems: [{ samples: 2, correct: 1, timedOut: 1 }],
  });
  expect(await read([row('a', 0), row('a', 1, { timedOut: true })], 1)).toMatchObject({
    why: 'its line 2 is no row of an outcome',
  });
});
