/** What stops a set-up: one line that says what is wrong and one that says how to mend it. Exit codes as in sysexits.h. */

export const exitCodes = { unavailable: 69, cannotCreate: 73, configuration: 78 };

export class SetupProblem extends Error {
  /**
   * @param {string} message what is wrong, in one line
   * @param {{fix: string, exitCode: number, details?: string}} more `details` are the last lines of a program's own output
   */
  constructor(message, { fix, exitCode, details = '' }) {
    super(message);
    this.name = 'SetupProblem';
    this.fix = fix;
    this.exitCode = exitCode;
    this.details = details;
  }

  /** The problem as a person reads it. */
  toText() {
    const details = this.details ? `\n${this.details.replace(/^/gm, '    ')}` : '';
    return `Set-up cannot go on: ${this.message}${details}\n  What to do: ${this.fix}`;
  }
}
