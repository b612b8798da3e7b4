/**
 * What a phase of kind `command` runs in one attempt: its placeholders filled in, and the resume added.
 *
 * Pure text: an unknown placeholder is the recipe's problem (configs/schema-command-rules.ts), and stays as it is here.
 */
import type { Phase } from '../configs/schema.ts';
import type { PlaceholderName } from '../configs/schema-command.ts';
import { placeholderPattern } from '../configs/schema-command-rules.ts';

export type CommandPhase = Extract<Phase, { kind: 'command' }>;

/** What stands for a placeholder; null where there is none of it. */
export type PlaceholderValues = Readonly<Record<PlaceholderName, string | null>>;

/** A command as a backend runs it. */
export interface JobCommand {
  /** The program and its arguments; a program without a slash is looked up in PATH. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly workingDirectory: string;
  readonly image: string | null;
  /** What runs beside it in pods of its own, in this order; absent where nothing does. */
  readonly roles?: readonly RoleCommand[];
}

export interface RoleCommand {
  readonly name: string;
  readonly argv: readonly string[];
  /** Beside those of the whole command. */
  readonly env: Readonly<Record<string, string>>;
}

/** The command of an attempt that goes on from `values.checkpoint`, or begins anew where that is null. */
export function commandOf({ params }: CommandPhase, values: PlaceholderValues): JobCommand {
  const filled = (text: string) => fill(text, values);
  const filledAll = (env: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text)]));
  const resume = values.checkpoint === null ? [] : params.resumeArgs;
  const roles = Object.entries(params.roles ?? {}).map(([name, { command, env }]) => ({
    name,
    argv: command.map(filled),
    env: filledAll(env ?? {}),
  }));
  return {
    argv: [...params.command, ...resume].map(filled),
    // A log that is held back in a buffer tells nothing of a step, and is lost with a killed process.
    env: { PYTHONUNBUFFERED: '1', ...filledAll(params.env) },
    workingDirectory: filled(params.workingDirectory),
    image: params.image ?? null,
    ...(roles.length === 0 ? {} : { roles }),
  };
}

/** What an attempt of a phase fills in: its numbers as text, and where it reads and writes. */
export function placeholderValues(
  { name, params: { steps, checkpointEvery, processes } }: CommandPhase,
  of: Pick<PlaceholderValues, 'output' | 'start' | 'base' | 'checkpoint' | 'home'> & {
    readonly seed: number;
    readonly attempt: number;
  },
): PlaceholderValues {
  return {
    ...of,
    phase: name,
    seed: String(of.seed),
    steps: String(steps),
    checkpointEvery: String(checkpointEvery),
    processes: String(processes),
    attempt: String(of.attempt),
  };
}

/** Every argument of the command and of what runs beside it, as the recipe has them. */
export function argumentsOf({ params: { command, resumeArgs, roles } }: CommandPhase): readonly string[] {
  return [...command, ...resumeArgs, ...Object.values(roles ?? {}).flatMap((role) => role.command)];
}

/** Doubled braces stay, as single ones; a placeholder without a value becomes nothing. */
export function fill(text: string, values: Readonly<Record<string, string | null>>): string {
  return text.replace(placeholderPattern, (whole, name?: string) => {
    if (name === undefined) return whole.slice(1, -1);
    return Object.hasOwn(values, name) ? (values[name] ?? '') : whole;
  });
}
