/** Names of time zones as a Temporal server takes them: what it does with others was seen on a real one (workers/schedules.test.ts). */
import { zoneProblem } from '../../configs/schema-time-zone.ts';
import { timeZoneLinks } from '../../configs/schema-time-zone-links.ts';

test.each(['Europe/Berlin', 'UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'US/Eastern', 'EST5EDT', 'America/Port_of_Spain'])(
  '%s is one',
  (name) => {
    expect(zoneProblem(name)).toBeNull();
  },
);

test.each([
  { given: 'europe/berlin', want: 'is written "Europe/Berlin"' },
  { given: 'EUROPE/BERLIN', want: 'is written "Europe/Berlin"' },
  { given: 'us/eastern', want: 'is written "US/Eastern"' },
  { given: 'ASIA/KOLKATA', want: 'is written "Asia/Kolkata"' },
  { given: 'Asia/kolkata', want: 'is written "Asia/Kolkata"' },
  { given: 'US/pacific', want: 'is written "US/Pacific"' },
  { given: 'est5edt', want: 'is written "EST5EDT"' },
  { given: 'utc', want: 'is written "UTC"' },
  { given: 'Europe/Berln', want: 'is no time zone; did you mean "Europe/Berlin"?' },
  { given: 'New York', want: 'is no time zone; did you mean "America/New_York"?' },
  { given: '+02:00', want: 'is no time zone: name one as Europe/Berlin, America/New_York or UTC' },
])('$given $want', ({ given, want }) => {
  expect(zoneProblem(given)).toBe(want);
});

// Node.js reads them; a server answers "unknown time zone".
test.each(['PST', 'IST', 'BST', 'SystemV/PST8PDT'])('%s, which Node.js alone knows, is none', (name) => {
  expect(zoneProblem(name)).toBe('is no time zone: name one as Europe/Berlin, America/New_York or UTC');
});

test('every zone that Node.js lists is one; every link is a zone that it knows by another name', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((name) => zoneProblem(name) !== null)).toEqual([]);
  const nameOf = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  expect([...timeZoneLinks].filter((name) => nameOf(name) === name)).toEqual([]);
  expect(timeZoneLinks.size).toBe(152);
});
