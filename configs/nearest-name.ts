/** Which valid name did a person mean? */

/**
 * The only valid name that `given` is a part of, such as `drgrpo` of `grpo`; else the one with the fewest edits, or null when none is near
 * (more than half of its letters differ).
 */
export function nearestName(given: string, valid: readonly string[]): string | null {
  const wanted = plain(given);
  const [whole, another] = wanted.length < shortestPart ? [] : valid.filter((name) => plain(name).includes(wanted));
  if (whole !== undefined && another === undefined) return whole;
  let best: string | null = null;
  let fewest = Math.floor(wanted.length / 2) + 1;
  for (const name of valid) {
    const edits = editDistance(wanted, plain(name));
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
}

const shortestPart = 4;

/** `learning-rate`, `learning_rate` and `learningRate` are one name to a person. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let j = 0; j <= b.length; j += 1) (rows[0] ?? [])[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, at(i - 2, j - 2) + 1);
      (rows[i] ?? [])[j] = edits;
    }
  }
  return at(a.length, b.length);
}
