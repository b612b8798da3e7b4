/** What NVIDIA's driver calls its errors (Xid), after its documentation. Does not cover which of them is a broken GPU (signatures.ts). */

const meanings: Readonly<Record<number, string>> = {
  13: 'graphics engine exception',
  31: 'GPU memory page fault',
  43: 'GPU stopped processing',
  45: 'preemptive cleanup',
  48: 'double bit ECC error',
  63: 'row remapping',
  64: 'row remapping failed',
  74: 'NVLink error',
  79: 'GPU has fallen off the bus',
  94: 'contained ECC error',
  95: 'uncontained ECC error',
  119: 'GSP timeout',
  120: 'GSP error',
};

/** `Xid 79 (GPU has fallen off the bus)`: the first that these lines tell; null when they tell none. */
export function xidText(lines: readonly string[]): string | null {
  for (const line of lines) {
    const number = /NVRM: Xid \([^)]*\): (\d+)/.exec(line)?.[1];
    if (number === undefined) continue;
    const meaning = meanings[Number(number)];
    return `Xid ${number}${meaning === undefined ? '' : ` (${meaning})`}`;
  }
  return null;
}
