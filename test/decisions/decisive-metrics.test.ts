import { firstNotFiniteOf, mustBeFinite } from '../../decisions/decisive-metrics.ts';

test.each([
  ['loss', true],
  ['critic_loss', true],
  ['grad_norm', true],
  ['gradNorm', true],
  ['reward', true],
  ['lm loss', true],
  ['grad norm', true],
  ['train/loss', true],
  ['train/pg_loss', true],
  ['reward_std', false],
  ['rewards/exact/std', false],
  ['entropy', false],
  ['score', false],
  ['eval_loss', false],
  ['eval/loss', false],
  ['test/grad_norm', false],
  ['loss scale', false],
])('%s: a run whose value of it is not finite is spoilt: %s', (metric, want) => {
  expect(mustBeFinite(metric)).toBe(want);
});

test('the first that must be finite and is not is named; side metrics without a value are none', () => {
  expect(firstNotFiniteOf({ reward_std: null, score: null, loss: 0.5 })).toBeNull();
  expect(firstNotFiniteOf({ reward_std: null, loss: 0.5, grad_norm: null })).toBe('grad_norm');
  expect(firstNotFiniteOf({})).toBeNull();
});
