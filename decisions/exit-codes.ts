/** What the end of one process says by itself, where no text explains it. Does not cover logs (signatures.ts). */
import type { FailureClass } from './failure.ts';

const signalNumbers: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
};

const signalClasses: Readonly<Record<string, FailureClass>> = {
  SIGHUP: 'interrupted',
  SIGINT: 'interrupted',
  SIGTERM: 'interrupted',
  SIGKILL: 'killed',
  SIGQUIT: 'crashed',
  SIGILL: 'crashed',
  SIGABRT: 'crashed',
  SIGBUS: 'crashed',
  SIGFPE: 'crashed',
  SIGSEGV: 'crashed',
};

/** Of the trainer contract (docs/reference/trainer-contract.md), after sysexits.h; and a shell's own. */
const codeClasses: Readonly<Record<number, FailureClass>> = {
  64: 'config',
  65: 'data-missing',
  75: 'interrupted',
  78: 'config',
  // A shell's: its program may not be run, or is not there.
  126: 'config',
  127: 'config',
};

/** The signal that ended a process: as it was reported, from a shell's 128 + n, or from a negative code. */
export function signalOf(exitCode: number | null, signal: string | null): string | null {
  if (signal !== null) return signal;
  if (exitCode === null) return null;
  return signalNumbers[exitCode < 0 ? -exitCode : exitCode - 128] ?? null;
}

/** The class that an end names without any text; null for an end that says nothing. */
export function classOfEnd(exitCode: number | null, signal: string | null): FailureClass | null {
  const name = signalOf(exitCode, signal);
  if (name !== null) return signalClasses[name] ?? 'crashed';
  return exitCode === null ? null : (codeClasses[exitCode] ?? null);
}
