import { endOfHold, holdTime, untilWhen } from '../../decisions/hold.ts';

test.each([
  { then: 'fail', heldFor: 'undecided', hasParent: true, want: 'fail' },
  { then: 'highest', heldFor: 'undecided', hasParent: false, want: 'highest' },
  { then: 'highest', heldFor: 'collapse', hasParent: true, want: 'highest' },
  { then: 'highest', heldFor: 'gate', hasParent: true, want: 'fail' },
  { then: 'highest', heldFor: 'failure', hasParent: true, want: 'fail' },
  { then: 'keep-parent', heldFor: 'undecided', hasParent: true, want: 'keep-parent' },
  { then: 'keep-parent', heldFor: 'gate', hasParent: true, want: 'keep-parent' },
  { then: 'keep-parent', heldFor: 'gate', hasParent: false, want: 'fail' },
  { then: 'keep-parent', heldFor: 'failure', hasParent: true, want: 'fail' },
] as const)('$then, held for $heldFor, parent $hasParent: $want', ({ then, want, ...of }) => {
  expect(endOfHold({ hours: 24, then }, of)).toBe(want);
});

test('says how long, until when and what then', () => {
  expect([1, 24, 0.5].map((hours) => holdTime({ hours, then: 'fail' }))).toEqual(['1 hour', '24 hours', '0.5 hours']);
  expect(untilWhen({ until: '2026-12-01T10:00:30.000Z', then: 'keep-parent' })).toBe(
    'until 2026-12-01 10:00 UTC, then its parent goes on',
  );
});
