/**
 * Outcomes of one run as they are read, a problem after the other: each once, and as many as there are to be.
 *
 * Does not cover where a harness keeps them (lm-eval.ts, nemo-skills.ts).
 */
import type { ImportedOutcomes } from '../../configs/schema-import.ts';
import { refused } from './json-files.ts';

export interface OutcomeList {
  add(outcome: Outcome, where: string): void;
  /** Throws where they are none, or not `wanted` many. */
  end(path: string, wanted: number | undefined): ImportedOutcomes;
}

interface Outcome {
  readonly problem: string;
  readonly isRight: boolean;
  /** Null where the file does not say. */
  readonly tokens: number | null;
  readonly seconds: number | null;
}

export function outcomeList(): OutcomeList {
  const outcomes = new Map<string, Outcome>();
  return {
    add(outcome, where) {
      if (outcomes.has(outcome.problem)) throw refused(where, `has problem ${outcome.problem} twice`);
      outcomes.set(outcome.problem, outcome);
    },
    end(path, wanted) {
      const all = [...outcomes.values()];
      if (all.length === 0) throw refused(path, 'has no outcome: is it still being written?');
      if (wanted !== undefined && all.length !== wanted)
        throw refused(
          path,
          `has ${String(all.length)} of ${String(wanted)} problems: is it still being written, or was it cut off?`,
        );
      const known = (field: 'tokens' | 'seconds') => {
        const values = all.flatMap((one) => one[field] ?? []);
        return values.length === all.length ? { [field]: values } : {};
      };
      return {
        kind: 'outcomes',
        problems: all.map(({ problem }) => problem),
        right: all.map(({ isRight }) => (isRight ? '1' : '0')).join(''),
        ...known('tokens'),
        ...known('seconds'),
      };
    },
  };
}

export function meanOf({ right }: ImportedOutcomes): number {
  return right.replaceAll('0', '').length / right.length;
}

/** What a summary says of outcomes that lie beside it; a hundredth of a percent is rounding. */
export function mustAgree(
  path: string,
  found: number,
  summary: { readonly path: string; readonly says: number },
): void {
  if (Math.abs(found - summary.says) <= 0.0001) return;
  const text = (share: number) => `${(100 * share).toFixed(2)} %`;
  throw refused(
    path,
    `is of another run than ${summary.path}: it has ${text(found)} right, and that says ${text(summary.says)}`,
  );
}

/** Null where it is no plain right or wrong. */
export function rightOf(value: unknown): boolean | null {
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : null;
}
