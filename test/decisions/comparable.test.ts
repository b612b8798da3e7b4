import { comparable } from '../../decisions/comparable.ts';

const sandbox = (id: string) =>
  `FailedCreatePodSandBox: failed to setup network for sandbox "${id}": cilium is not ready`;

test.each([
  [sandbox('3f9a0c5e2b7d4f6a'.repeat(4)), sandbox('b0e1d2c3a4958677'.repeat(4))],
  ['no volume pvc-3d1f5a86-0b7c-4e7a-9d3e-5f0c2a1b4e6d', 'no volume pvc-a81c2b3d-9e4f-4a5b-8c6d-7e8f9a0b1c2d'],
  ['name "trainer_t-sft-a1-0-x7k2p" is reserved', 'name "trainer_t-sft-a2-0-bqzvd" is reserved'],
  ['at 0x7f3a of 1234 bytes', 'at 0x8e of 99 bytes'],
])('the same another time: %s', (one, other) => {
  expect(comparable(one)).toBe(comparable(other));
});

test('words stay words: another cause is another one', () => {
  expect(comparable('secret "hf" not found')).not.toBe(comparable('secret "s3" not found in deadbeef'));
  expect(comparable('effaced facade')).toBe('effaced facade');
});
