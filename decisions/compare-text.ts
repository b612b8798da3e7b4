/** Texts by their code units, so that an order does not depend on where it is made. Does not cover how a person would sort them. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
