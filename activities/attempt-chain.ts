/** The attempts that a checkpoint comes from: each went on from one of the attempt before it. Does not cover which checkpoints those are. */
import type { AttemptRecord } from '../store/ledger/attempts.ts';

/** The attempt that this one went on from; undefined for one that began at the start. */
export function predecessor(
  attempts: readonly AttemptRecord[],
  { request, number }: AttemptRecord,
): AttemptRecord | undefined {
  const from = resumeOf({ request });
  if (from === null) return undefined;
  return attempts.find(
    (other) => other.number < number && other.directory !== null && from.path.startsWith(`${other.directory}/`),
  );
}

export function resumeOf({
  request,
}: Pick<AttemptRecord, 'request'>): { readonly path: string; readonly step: number } | null {
  return (request as { resume: { path: string; step: number } | null } | null)?.resume ?? null;
}

export interface AttemptPart {
  readonly attempt: number;
  /** Steps: it began after `from`, and what of it counts ends with `to`. */
  readonly from: number;
  readonly to: number;
}

/** The steps that each attempt put into a checkpoint of attempt `number` at `step`, the first attempt first. */
export function partsOf(
  attempts: readonly AttemptRecord[],
  { attempt: number, step }: { readonly attempt: number; readonly step: number },
): readonly AttemptPart[] {
  const parts: AttemptPart[] = [];
  let to = step;
  let at = attempts.find((attempt) => attempt.number === number);
  for (; at !== undefined; at = predecessor(attempts, at)) {
    const from = resumeOf(at)?.step ?? 0;
    parts.unshift({ attempt: at.number, from, to });
    to = from;
  }
  return parts;
}
