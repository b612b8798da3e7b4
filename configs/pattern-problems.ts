/**
 * Whether the patterns of a recipe are regular expressions that take linear time, with the groups that they need.
 *
 * RE2 has no back reference and no lookaround, so that no line of a log can hold a worker up (store/foreign/pattern-lines.ts uses it).
 */
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { asGroup, fieldName, type PlacedProblem } from './problems.ts';

/** Of a document that may be anything; patterns that are no texts are the schema's. */
export function patternProblems(document: unknown): PlacedProblem[] {
  const phases = asGroup(document)['phases'];
  if (!Array.isArray(phases)) return [];
  return phases.flatMap((phase: unknown, index) => {
    const progress = asGroup(asGroup(asGroup(phase)['params'])['progress']);
    return ['pattern', 'started'].flatMap((name): PlacedProblem[] => {
      const text = progress[name];
      const message = typeof text === 'string' ? problemOf(text) : null;
      const path = ['phases', index, 'params', 'progress', name];
      return message === null ? [] : [{ path, field: fieldName(document, path), message, of: 'value' }];
    });
  });
}

function problemOf(pattern: string): string | null {
  try {
    if (Object.hasOwn(RE2JS.compile(pattern).namedGroups(), 'step')) return null;
    return 'has no group (?<step>…): which step a line is of must be known';
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `is no regular expression of RE2 (no lookaround, no back reference): ${error.message}`;
  }
}
