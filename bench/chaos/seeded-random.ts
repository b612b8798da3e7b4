/** Chance that can be had again: the same seed gives the same numbers. */

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number at least 0, below the limit. */
  below(limit: number): number;
  /** One of them; null of none. */
  oneOf<T>(items: readonly T[]): T | null;
}

/** mulberry32: 32 bits of state, good enough to choose by. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { next, below, oneOf: (items) => items[below(items.length)] ?? null };
}
