import { benchmarksSchema, type Benchmark } from '../../configs/schema.ts';
import { benchmarkDefinition, changedDefinition, type DefinedBenchmark } from '../../decisions/benchmark-definition.ts';

const jsonl = { data: { jsonl: '/data/sums.jsonl' }, grader: 'exact-match' };
const tiny = { data: { tiny: 'held-out' }, grader: 'boxed-integer' };

function defined(given: unknown, dataDigest: string | null = null): DefinedBenchmark {
  const benchmark = benchmarksSchema.parse({ sums: given })['sums'] as Benchmark;
  return { name: 'sums', benchmark, dataDigest };
}
const changes = (before: DefinedBenchmark, after: DefinedBenchmark) =>
  changedDefinition(after, benchmarkDefinition(before));

test.each([
  { title: 'itself', before: defined(tiny), after: defined(tiny) },
  { title: 'its defaults written out', before: defined(tiny), after: defined({ ...tiny, samples: 1, temperature: 1 }) },
  {
    title: 'the same file in another folder',
    before: defined(jsonl, 'a'),
    after: defined({ ...jsonl, data: { jsonl: '/elsewhere/sums.jsonl' } }, 'a'),
  },
])('$title is the same', ({ before, after }) => {
  expect(changes(before, after)).toEqual([]);
});

const version =
  'when version 1 was evaluated: set benchmarks.sums.version to 2, so that their scores are never compared';

test.each([
  {
    before: defined(tiny),
    after: defined({ ...tiny, samples: 4 }),
    want: [`benchmarks.sums.samples: is 4 and was 1 ${version}`],
  },
  {
    before: defined(tiny),
    after: defined({ ...tiny, temperature: 0, maxTokens: 24 }),
    want: [
      `benchmarks.sums.maxTokens: is 24 and was 1024 ${version}`,
      `benchmarks.sums.temperature: is 0 and was 1 ${version}`,
    ],
  },
  {
    before: defined(tiny),
    after: defined({ ...tiny, data: { tiny: 'held-out', rows: 20 } }),
    want: [`benchmarks.sums.data.rows: is 20 and was not set ${version}`],
  },
  {
    before: defined(tiny),
    after: defined({ ...tiny, grader: 'exact-match' }),
    want: [`benchmarks.sums.grader: is "exact-match" and was "boxed-integer" ${version}`],
  },
  {
    before: defined({ ...tiny, samples: 8 }),
    after: defined({ ...tiny, samples: 8, vote: { agreeing: 4 } }),
    want: [`benchmarks.sums.vote: is {"agreeing":4} and was not set ${version}`],
  },
  {
    before: defined({ ...tiny, time: { problemMinutes: 5 } }),
    after: defined({ ...tiny, time: { problemMinutes: 5, upToMinutes: 15 } }),
    want: [`benchmarks.sums.time.upToMinutes: is 15 and was not set ${version}`],
  },
  {
    before: defined(jsonl, 'a'),
    after: defined(jsonl, 'b'),
    want: [`benchmarks.sums.data.jsonl: names a file of another content ${version}`],
  },
])('another definition is told by its fields: $want', ({ before, after, want }) => {
  expect(changes(before, after)).toEqual(want);
});
