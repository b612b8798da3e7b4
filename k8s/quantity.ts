/** Quantities as Kubernetes writes them, such as `1600Gi`. Does not cover comparing them. */
const form = /^(\d+(?:\.\d+)?)(m|[kKMGTPE]i?)?$/;
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
