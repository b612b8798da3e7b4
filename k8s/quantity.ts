/** Quantities as Kubernetes writes them, such as `1600Gi`. Does not cover negative ones. */
const form = /^(\d+(?:\.\d+)?)(m|[kKMGTPE]i?)?$/;
/** As a server may write them after a sum: `1e3`, `500u`. */
const anyForm = /^(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(n|u|m|[kKMGTPE]i?)?$/;
const powers: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};
const smaller: Readonly<Record<string, readonly [unit: string, per: number]>> = {
  Ki: ['', 1024],
  Mi: ['Ki', 1024],
  Gi: ['Mi', 1024],
  Ti: ['Gi', 1024],
  Pi: ['Ti', 1024],
  Ei: ['Pi', 1024],
};

/** The quantity times a factor, rounded up to a whole number of its unit, or of the next smaller one where that is nearer. */
export function timesQuantity(quantity: string, factor: number): string {
  const [, digits = '0', unit = ''] = form.exec(quantity) ?? [];
  const amount = Number(digits) * factor;
  const below = smaller[unit];
  if (Number.isInteger(amount) || below === undefined) return `${String(Math.ceil(amount))}${unit}`;
  return `${String(Math.ceil(amount * below[1]))}${below[0]}`;
}

/** The quantity as a number of its base unit (cores, bytes, pieces); NaN for what is none. */
export function amountOf(quantity: string): number {
  const [, digits = '', unit = ''] = anyForm.exec(quantity) ?? [];
  return digits === '' ? Number.NaN : Number(digits) * (powers[unit] ?? Number.NaN);
}
