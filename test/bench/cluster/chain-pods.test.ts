import { gapsOf, lengthOf } from '../../../bench/cluster/chain-pods.ts';

const chain = [
  { madeAt: 0, endedAt: 1000 },
  { madeAt: 1500, endedAt: 2500 },
  { madeAt: 12_500, endedAt: 13_000 },
];

test('a gap is from the end of one step to the pod of the next', () => {
  expect(gapsOf(chain)).toEqual([500, 10_000]);
  expect(lengthOf(chain)).toBe(13_000);
});

test('a chain whose last step runs has no length', () => {
  const running = [...chain.slice(0, 2), { madeAt: 3000, endedAt: null }];
  expect(gapsOf(running)).toEqual([500, 500]);
  expect(lengthOf(running)).toBeNull();
  expect(lengthOf([])).toBeNull();
});
