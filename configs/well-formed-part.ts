/**
 * What a phase says beside its mistakes: so that rules over other fields of it are told at once.
 *
 * Does not cover the mistakes themselves (problems.ts), or rules (schema-rules.ts).
 */
import { asGroup } from './problems.ts';
import type { Path, PhaseFields } from './schema-phase-rules.ts';
import { phaseSchema } from './schema.ts';

export interface WellFormedPart {
  /** Its fields as they are given, without those that are wrong. */
  readonly phase: PhaseFields;
  /** Names of the others, such as `params`. */
  readonly wrong: ReadonlySet<string>;
}

/** Null where nothing is sure: which fields there may be depends on the kind. */
export function wellFormedPart(given: unknown): WellFormedPart | null {
  const issues = phaseSchema.safeParse(given).error?.issues ?? [];
  const wrong = new Set(
    issues.flatMap(({ path: [field], ...issue }) =>
      field === undefined && issue.code === 'unrecognized_keys' ? issue.keys : [String(field ?? 'kind')],
    ),
  );
  if (wrong.has('kind')) return null;
  const fields = Object.entries(asGroup(given)).filter(([field]) => !wrong.has(field));
  return { phase: { name: '', kind: '', params: {}, gate: [], ...Object.fromEntries(fields) }, wrong };
}

/** What a rule about a field of a phase looks at besides; about one that is not here: everything. */
const looksAt: Readonly<Record<string, readonly string[]>> = {
  name: [],
  kind: ['from'],
  from: ['kind'],
  data: ['kind', 'params'],
  evaluate: ['kind', 'params'],
  gate: ['kind', 'evaluate'],
  onCollapse: ['kind', 'evaluate', 'params'],
};

/** Whether a broken rule says something that its mistakes have no part in. `path` is below the phase. */
export function standsBeside([field, below]: Path, wrong: ReadonlySet<string>): boolean {
  const isName = field === 'evaluate' && below === 'benchmarks';
  const others = isName ? [] : looksAt[String(field)];
  return others !== undefined && ![String(field), ...others].some((one) => wrong.has(one));
}
