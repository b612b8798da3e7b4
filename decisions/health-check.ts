/**
 * What `temper doctor` says of one thing: whether it is there, in words, and what adds it. Pure.
 *
 * Covers the shape, and what many checks come to. Does not cover what is looked at (k8s/doctor, workers/doctor-local.ts).
 */

/** `not-checked` says that nobody knows: it is never as good as `ok`. */
export const healthVerdicts = ['ok', 'missing', 'warning', 'not-checked'] as const;
export type HealthVerdict = (typeof healthVerdicts)[number];

/** What adds a thing that is missing. */
export interface Mend {
  /** Lines for a shell, to be run as they are or with the words in capitals filled in. */
  readonly command?: string;
  /** What a person changes in a file or elsewhere. */
  readonly change?: string;
}

export interface HealthCheck {
  /** What was looked at, in a word or two. */
  readonly name: string;
  readonly verdict: HealthVerdict;
  readonly what: string;
  readonly mend: Mend | null;
}

export const fine = (name: string, what: string): HealthCheck => ({ name, verdict: 'ok', what, mend: null });

export const missing = (name: string, what: string, mend: Mend): HealthCheck => ({
  name,
  verdict: 'missing',
  what,
  mend,
});

export const warning = (name: string, what: string, mend: Mend | null = null): HealthCheck => ({
  name,
  verdict: 'warning',
  what,
  mend,
});

export const notChecked = (name: string, what: string): HealthCheck => ({
  name,
  verdict: 'not-checked',
  what,
  mend: null,
});

/** Whether nothing that is needed is known to be missing. */
export function isHealthy(checks: readonly HealthCheck[]): boolean {
  return checks.every(({ verdict }) => verdict !== 'missing');
}

/** `2 missing, 1 not checked`; null where everything is fine. */
export function healthSummary(checks: readonly HealthCheck[]): string | null {
  const counts = (['missing', 'warning', 'not-checked'] as const).flatMap((verdict) => {
    const count = checks.filter((check) => check.verdict === verdict).length;
    return count === 0
      ? []
      : [`${String(count)} ${verdict === 'not-checked' ? 'not checked' : plural(verdict, count)}`];
  });
  return counts.length === 0 ? null : counts.join(', ');
}

const plural = (verdict: 'missing' | 'warning', count: number): string =>
  verdict === 'warning' && count > 1 ? 'warnings' : verdict;
