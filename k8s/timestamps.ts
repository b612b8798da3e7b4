/** Which of some times is the first or the last. Of the cluster's own times, ISO 8601 to the second, which sort as texts. */

/** Null where there is none. */
export function oldest(times: readonly (string | null | undefined)[]): string | null {
  return inOrder(times)[0] ?? null;
}

/** Null where there is none. */
export function newest(times: readonly (string | null | undefined)[]): string | null {
  return inOrder(times).at(-1) ?? null;
}

function inOrder(times: readonly (string | null | undefined)[]): readonly string[] {
  return times.flatMap((time) => time ?? []).sort();
}
