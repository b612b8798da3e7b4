/** What a line of a foreign trainer's log can say. One file per kind of log; does not cover which one reads a log (foreign-log.ts). */
import { mustBeFinite } from '../../decisions/decisive-metrics.ts';

/** Numbers by name; null for one that must be finite and is not. */
export type Metrics = Readonly<Record<string, number | null>>;

export type Said =
  /** `step` is null where only lines around it tell. */
  | { readonly kind: 'step'; readonly step: number | null; readonly of: number | null; readonly metrics: Metrics }
  /** The step it starts after: of the checkpoint it has loaded. */
  | { readonly kind: 'started'; readonly step: number }
  | null;

/** Reads the lines of one log in their order. */
export type LineReader = (line: string) => Said;

/** Numbers of `pairs`; one that is not finite is told only where training is lost with it. */
export function metricsOf(pairs: Iterable<readonly [string, string]>): Metrics {
  const metrics: Record<string, number | null> = {};
  for (const [name, text] of pairs) {
    const value = numberOf(text);
    if (value === undefined) continue;
    if (Number.isFinite(value)) metrics[name] = value;
    else if (mustBeFinite(name)) metrics[name] = null;
  }
  return metrics;
}

/** Longer texts are no numbers, and a worker that looked at each of them would be held up. */
const longestNumber = 64;

function numberOf(text: string): number | undefined {
  if (text.length > longestNumber) return undefined;
  if (/^[-+]?(nan|inf|infinity)$/i.test(text.trim())) return Infinity;
  return /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : undefined;
}
