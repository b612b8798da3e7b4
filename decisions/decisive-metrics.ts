/**
 * Which numbers of a trainer must be finite: where one of them is not, the weights are not to be trusted from that step on.
 *
 * Losses, gradient norms and the reward decide. Side metrics may have no value (the deviation of one sample, a score of an empty
 * evaluation) and say nothing of the weights.
 */

/** Names as libraries give them: `loss`, `critic_loss`, `lm loss`, `train/grad_norm`, `reward`. */
export function mustBeFinite(metric: string): boolean {
  const parts = metric
    .toLowerCase()
    .split('/')
    .map((part) => part.trim().replaceAll(/[\s-]+/g, '_'));
  if (parts.some((part) => /^(eval|evaluation|test|val|validation)(_|$)/.test(part))) return false;
  return /^((\w+_)?loss|grad(ient)?_?norm|reward)$/.test(parts.at(-1) ?? '');
}

/** The first metric that must be finite and is not; null when there is none. */
export function firstNotFiniteOf(metrics: Readonly<Record<string, number | null>>): string | null {
  return Object.keys(metrics).find((name) => metrics[name] === null && mustBeFinite(name)) ?? null;
}
