/** Random numbers from a seed: the same numbers on every machine and in every replay. Not for secrets. */

/** By its own name: looked up once, not at every number (in a test's sandbox that look-up costs more than the number). */
const { imul } = Math;

/** A stream of whole numbers below 2^32 (mulberry32, by Tommy Ettinger; public domain). */
export function randomIntegers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** From 0 to 1: this text's own, and another one's is another. */
export function shareOf(text: string): number {
  let seed = 0;
  for (let index = 0; index < text.length; index += 1) seed = imul(seed ^ text.charCodeAt(index), 0x01000193);
  return randomIntegers(seed)() / 2 ** 32;
}

/** Draws of every bootstrap. */
export const draws = 2000;
/** Of every bootstrap: intervals in old ledgers stay what they were. */
const seed = 20260917;

/** Places below `n`, each as likely as the other, from the one seed of every bootstrap. */
export function picksWithReplacement(n: number): () => number {
  const next = randomIntegers(seed);
  const scale = n / 2 ** 32;
  return () => (next() * scale) | 0;
}
