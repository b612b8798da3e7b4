/** Fields of a schedule that fit no schedule. */
import { scheduleSchema } from '../../configs/schema-schedule.ts';

const problemsOf = (change: object) => {
  const given = { name: 'nightly', at: ['03:00'], timeZone: 'UTC', sweep: { benchmarks: ['addition'] }, ...change };
  return (
    scheduleSchema.safeParse(given).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
  );
};

test.each([
  { title: 'a time', change: { at: ['03:00', '15:30', '03:00'] }, want: 'at: names "03:00" twice' },
  { title: 'a day', change: { days: ['monday', 'monday'] }, want: 'days: names "monday" twice' },
  {
    title: 'a benchmark',
    change: { sweep: { benchmarks: ['addition', 'addition'] } },
    want: 'sweep.benchmarks: names "addition" twice',
  },
  {
    title: 'a checkpoint',
    change: { sweep: { benchmarks: ['addition'], checkpoints: { named: ['a', 'a'] } } },
    want: 'sweep.checkpoints.named: names "a" twice',
  },
])('$title is named once', ({ change, want }) => {
  expect(problemsOf(change)).toEqual([want]);
});

test('a zone is named as the server reads it', () => {
  expect(problemsOf({ timeZone: 'europe/berlin' })).toEqual(['timeZone: is written "Europe/Berlin"']);
});
