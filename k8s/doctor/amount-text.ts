/** An amount of a resource in words: `8 nvidia.com/gpu`, `500 m of CPU`, `64.0 Gi of memory`. */
const gibibyte = 2 ** 30;

export function amountText(resource: string, amount: number): string {
  if (resource.endsWith('memory') || resource.endsWith('storage'))
    return `${(amount / gibibyte).toFixed(1).replace(/\.0$/, '')} GiB of ${resource}`;
  return `${String(Number(amount.toFixed(3)))} ${resource}`;
}
