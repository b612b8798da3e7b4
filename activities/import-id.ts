/** By what people name an evaluation that was imported: twelve hexadecimal digits, as a score from outside has. */
import { createHash } from 'node:crypto';
import type { EvaluationKey } from '../decisions/evaluation.ts';

export function importId({ checkpoint, benchmark, version, seed }: EvaluationKey): string {
  const text = JSON.stringify(['import', checkpoint, benchmark, version, seed]);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** Of the decision that says who imported it. */
export function importDecisionKey({ checkpoint, benchmark, version, seed }: EvaluationKey): string {
  return `import/${JSON.stringify([checkpoint, benchmark, version, seed])}`;
}
