/** The standard normal distribution: what several bootstraps and the prediction of further seeds need of it. */
import { randomIntegers } from './random.ts';

/** Chance of a value below `z`: Abramowitz and Stegun, formula 7.1.26, within 1.5e-7. */
export function normalBelow(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const above = (series * Math.exp(-x * x)) / 2;
  return z >= 0 ? 1 - above : above;
}

/** Standard normal numbers from a seed, by the method of Box and Muller. */
export function normalNumbers(seed: number): () => number {
  const next = randomIntegers(seed);
  const share = () => (next() + 1) / (2 ** 32 + 1);
  return () => Math.sqrt(-2 * Math.log(share())) * Math.cos(2 * Math.PI * share());
}
