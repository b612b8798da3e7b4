import { timesQuantity } from '../../k8s/quantity.ts';

test.each([
  ['100Gi', 1.5, '150Gi'],
  ['1Gi', 1.5, '1536Mi'],
  ['3', 1.5, '5'],
  ['4G', 1.5, '6G'],
  ['2.5Gi', 2, '5Gi'],
  ['7Ki', 1, '7Ki'],
])('%s times %d is %s', (quantity, factor, want) => {
  expect(timesQuantity(quantity, factor)).toBe(want);
});
