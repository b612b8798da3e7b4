/**
 * A part of a sentence that says what happened to a job, and how such parts are made.
 *
 * Does not cover which words belong to which class (class-phrases.ts and the files that it asks).
 */
import { signalOf } from './exit-codes.ts';
import type { ClassReason, Evidence } from './failure.ts';
import { reasonText } from './sentences.ts';

export interface ClassPhrase {
  /** For example `NCCL watchdog on rank 5 after 1,800 s in all-reduce`. */
  readonly what: string;
  /** What belongs behind the step: `, as a drain of its node does`. */
  readonly more?: string;
  /** The words it rests on, from outside: shown in quotes. */
  readonly quote?: string;
}

/** A failure, with what its words are made of. */
export interface Failed {
  readonly because: ClassReason;
  readonly evidence: Evidence;
  /** `rank 5`, `engine 1`; `it` where no process is blamed. */
  readonly who: string;
  /** ` on rank 5`; nothing where no process is blamed. */
  readonly on: string;
  /** What the blamed process said last. */
  readonly lines: readonly string[];
}

/** With the words or the end that the class rests on. */
export function said(what: string, because: ClassReason): ClassPhrase {
  switch (because.rule) {
    case 'log-line':
      return quoted(what, because.line);
    case 'trainer-said':
      return quoted(what, because.message);
    case 'exit-code':
      return { what: `${what} (exit code ${String(because.exitCode)})` };
    case 'signal':
      return { what: `${what} (${because.signal})` };
    case 'backend-reason':
      return quoted(`${what} (${because.reason})`, because.says);
    case 'metrics-not-finite':
      return { what };
    default:
      return { what, more: `: ${reasonText(because)}` };
  }
}

/** With words from outside, where there are any. */
export const quoted = (what: string, quote: string | undefined): ClassPhrase =>
  quote === undefined ? { what } : { what, quote };

/** The signal that a process ended by, by its own end or by what its launcher says of it. */
export function signalIn(because: ClassReason): string | null {
  switch (because.rule) {
    case 'signal':
      return because.signal;
    case 'exit-code':
      return signalOf(because.exitCode, null);
    case 'log-line': {
      const code = /^exitcode\s*:\s*(-?\d+)/.exec(because.line)?.[1];
      return code === undefined ? null : signalOf(Number(code), null);
    }
    default:
      return null;
  }
}

/** The backend's own word. */
export const reasonOf = (because: ClassReason): string | null =>
  because.rule === 'backend-reason' ? because.reason : null;

/** The same in brackets; nothing where it has none. */
export function reasonIn({ because }: Failed): string {
  const reason = reasonOf(because);
  return reason === null ? '' : ` (${reason})`;
}
