/** A command as the list has it. */
import type { Command } from 'commander';

export interface CommandEntry {
  readonly name: string;
  /** One line of what it does. */
  readonly summary: string;
  /** Reads the command's own file. */
  readonly load: () => Promise<Command>;
}
