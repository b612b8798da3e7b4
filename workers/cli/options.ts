/** Options that several commands share, and what a person types after them. */
import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';

export type Set = Readonly<Record<string, unknown>>;

/** Who says so and why, of whatever is kept for later. */
export interface SaidBy {
  readonly by: string;
  readonly reason?: string;
}

export const byOption = (): Option => new Option('--by <who>', 'who says so').default(userInfo().username, 'this user');

/** The command with the options of `SaidBy`. */
export const withSaidBy = (command: Command): Command =>
  command.addOption(byOption()).addOption(new Option('--reason <why>', 'why, for whoever reads it later'));

export const jsonOption = (): Option => new Option('--json', 'for scripts: one JSON document on standard output');

export const directOption = (): Option =>
  new Option('--direct', 'read the ledger and the store of this machine (TEMPER_STORE) instead of asking a worker');

export const fileOption = (): Option => new Option('-f, --file <path>', 'a recipe from a file of this machine');

export const profileOption = (): Option =>
  new Option('--profile <name>', "the profile it runs on; the worker's own unless named");

export const setOption = (): Option =>
  new Option('--set <field=value>', 'change a field, such as phases.sft.params.learningRate=1e-4; may be repeated')
    .argParser((text, before: Set | undefined) => ({ ...before, ...parsedSet(text) }))
    .default({}, 'nothing');

/** `field=value`, the value as YAML has it: `1e-4` is a number, `{rank: 4}` a group. */
function parsedSet(text: string): Set {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('It is written field=value, such as seed=2.');
  return { [text.slice(0, at)]: text.slice(at + 1) };
}

export const wholeNumber = (text: string): number => numberFrom(1, text);

/** Of a rank: the first is 0. */
export const rankNumber = (text: string): number => numberFrom(0, text);

/** 0 for any that is free. */
export function portNumber(text: string): number {
  const port = numberFrom(0, text);
  if (port > 65_535) throw new InvalidArgumentError('It must be a port, 65535 at most.');
  return port;
}

function numberFrom(least: number, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < least)
    throw new InvalidArgumentError(`It must be a whole number from ${String(least)} on.`);
  return number;
}
