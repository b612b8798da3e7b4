/** What a phase starts from, as its recipe says: a phase of the same recipe, a finished checkpoint of another pipeline, or nothing. */

export type StartOfPhase =
  | { readonly kind: 'phase'; readonly phase: string }
  /** Named by its id, its path, or pipeline/phase. */
  | { readonly kind: 'checkpoint'; readonly named: string };

/** `before` is the phase above it, which it starts from unless it says otherwise; null for one without either. */
export function startOfPhase(
  { from }: { readonly from?: string | { readonly checkpoint: string } | undefined },
  before: { readonly name: string } | undefined,
): StartOfPhase | null {
  if (typeof from === 'object') return { kind: 'checkpoint', named: from.checkpoint };
  const phase = from ?? before?.name;
  return phase === undefined ? null : { kind: 'phase', phase };
}
