/**
 * Texts of processes and clusters, cut to what a record holds, and without what differs from one time to the next.
 *
 * Equal causes have equal texts then. Does not cover which text is the cause (root-cause.ts, classify.ts).
 */

const mostCharacters = 300;
/** `6f9c0e7a-…`, the ids of sandboxes and containers, and the ends that a controller gives to the names of pods. */
const ids =
  /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{12,}\b|(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w-])/g;

/** Addresses, sizes, ids and times differ from run to run. */
export function comparable(line: string): string {
  return shortened(
    line
      .replace(/0x[0-9a-f]+/gi, '#')
      .replace(ids, '#')
      .replace(/\d+/g, '#')
      .replace(/\s+/g, ' '),
  );
}

export function shortened(line: string): string {
  return line.length <= mostCharacters ? line : `${line.slice(0, mostCharacters - 1)}…`;
}
