/** Random numbers from a seed: the same numbers on every machine and in every replay. Not for secrets. */

/** A stream of whole numbers below 2^32 (mulberry32, by Tommy Ettinger; public domain). */
export function randomIntegers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
