/** Names of time zones as a Temporal server takes them: what it does with others was seen on a real one (workers/schedules.test.ts). */
import { zoneProblem } from '../../configs/schema-time-zone.ts';

test.each(['Europe/Berlin', 'UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'US/Eastern', 'EST5EDT', 'America/Port_of_Spain'])(
  '%s is one',
  (name) => {
    expect(zoneProblem(name)).toBeNull();
  },
);

test.each([
  { given: 'europe/berlin', want: 'is written "Europe/Berlin"' },
  { given: 'EUROPE/BERLIN', want: 'is written "Europe/Berlin"' },
  { given: 'us/eastern', want: 'is written "America/New_York"' },
  { given: 'ASIA/KOLKATA', want: 'is written "Asia/Calcutta"' },
  { given: 'utc', want: 'is written "UTC"' },
  { given: 'Europe/Berln', want: 'is no time zone; did you mean "Europe/Berlin"?' },
  { given: 'New York', want: 'is no time zone; did you mean "America/New_York"?' },
  { given: '+02:00', want: 'is no time zone: name one as Europe/Berlin, America/New_York or UTC' },
])('$given $want', ({ given, want }) => {
  expect(zoneProblem(given)).toBe(want);
});
