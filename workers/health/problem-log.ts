/** Why an answer says no more than that something is wrong: for the worker's log, whose readers may know addresses and names. */
import { inspect, types } from 'node:util';

export interface ProblemLog {
  /** Written when it begins or changes, not each time that somebody asks; null ends it. */
  tell(what: string, problem: unknown): void;
}

export function problemLog(log: (line: string) => void): ProblemLog {
  const told = new Map<string, string>();
  return {
    tell(what, problem) {
      if (problem === null) {
        told.delete(what);
        return;
      }
      const text = textOf(problem);
      if (told.get(what) === text) return;
      told.set(what, text);
      log(`health: ${what}: ${text}`);
    },
  };
}

/** `fetch` says why in the cause alone. */
function textOf(problem: unknown): string {
  if (!types.isNativeError(problem)) return inspect(problem);
  return problem.cause === undefined ? problem.message : `${problem.message}: ${textOf(problem.cause)}`;
}
