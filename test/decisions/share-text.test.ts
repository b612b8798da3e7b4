/** A score as a person writes it; what may mean two things is refused. */
import { shareOf } from '../../decisions/share-text.ts';

test.each([
  { written: '40/50', want: { share: 0.8, of: 50 } },
  { written: ' 38.5 / 50 ', want: { share: 0.77, of: 50 } },
  { written: '80%', want: { share: 0.8, of: null } },
  { written: '100 %', want: { share: 1, of: null } },
  { written: '0.8', want: { share: 0.8, of: null } },
  { written: 0.8, want: { share: 0.8, of: null } },
  { written: '.8', want: { share: 0.8, of: null } },
  { written: 0, want: { share: 0, of: null } },
])('$written is $want.share', ({ written, want }) => {
  expect(shareOf('score', written)).toEqual(want);
});

test.each([
  { written: 80, why: 'is 80, which may be percent or a count' },
  { written: '1', why: 'is 1, which may be 1 % or all of them' },
  { written: '51/50', why: 'is 51/50, which is no part of a whole' },
  { written: '1/0', why: 'is 1/0, which is no part of a whole' },
  { written: '120%', why: 'is 120%, above 100 %' },
  { written: '-0.2', why: 'is "-0.2", which is no score' },
  { written: 'eighty', why: 'is "eighty", which is no score' },
  { written: Number.NaN, why: 'is "NaN", which is no score' },
])('$written is refused', ({ written, why }) => {
  expect(() => shareOf('score', written)).toThrow(`score: ${why}: write it 40/50, 80% or 0.8`);
});
