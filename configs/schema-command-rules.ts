/**
 * Which params of a command go together: placeholders that exist, a resume that names its checkpoint, formats that a phase can read.
 *
 * Does not cover patterns (pattern-problems.ts) or steps (schema-phase-rules.ts).
 */
import { nearestName } from './nearest-name.ts';
import { checkpointPlaceholder, commandPlaceholders, isOfMegatron, trainerRole } from './schema-command.ts';
import type { BrokenRule, Path, PhaseFields } from './schema-phase-rules.ts';

/** A placeholder, or one that is doubled to stay as it is. */
export const placeholderPattern = /\{\{[A-Za-z]\w*\}\}|\{([A-Za-z]\w*)\}/g;

const everywhere = Object.keys(commandPlaceholders);

/** Every broken rule of a phase of this kind; none for other kinds. */
export function rulesOfCommand({ kind, params, evaluate }: PhaseFields): BrokenRule[] {
  if (kind !== 'command') return [];
  const { command = [], resumeArgs = [], env = {}, workingDirectory = '', roles = {}, checkpoints } = params;
  const broken = [
    ...command.flatMap((text, index) => unknownIn(text, ['params', 'command', index])),
    ...resumeArgs.flatMap((text, index) =>
      unknownIn(text, ['params', 'resumeArgs', index], [checkpointPlaceholder, ...everywhere]),
    ),
    ...rulesOfVariables(env, ['params', 'env']),
    ...unknownIn(workingDirectory, ['params', 'workingDirectory']),
    ...rulesOfRoles(roles),
  ];
  if (resumeArgs.length > 0 && !resumeArgs.some((text) => placeholdersIn(text).includes(checkpointPlaceholder)))
    broken.push({
      path: ['params', 'resumeArgs'],
      message: `name no {${checkpointPlaceholder}}: which one to go on from is Temper's choice, never "latest"`,
    });
  if (evaluate !== undefined && isOfMegatron(checkpoints?.format))
    broken.push({
      path: ['evaluate'],
      message: `reads hf and peft, and the checkpoints are ${String(checkpoints?.format)}: leave it out, or convert them in a phase after this one`,
    });
  return broken;
}

/** What the built-in kinds cannot start from, and a gate cannot compare with. */
export function rulesOfStartFormat(phase: PhaseFields, start: PhaseFields | undefined): BrokenRule[] {
  const format = start?.params.checkpoints?.format;
  if (start === undefined || !isOfMegatron(format)) return [];
  const compared = phase.gate.findIndex((stage) => 'require' in stage && 'notWorseThanParent' in stage.require);
  if (phase.kind === 'command' && compared < 0) return [];
  if (phase.kind === 'command') {
    const message = `compares with the checkpoint of phase "${start.name}", which is ${String(format)}, and evaluations read hf and peft: say scoreAtLeast`;
    return [{ path: ['gate', compared, 'require', 'notWorseThanParent'], message }];
  }
  const message = `starts from phase "${start.name}", whose checkpoints are ${String(format)}, and ${phase.kind} reads hf and peft: convert them in a phase of kind "command"`;
  return [{ path: ['kind'], message }];
}

function rulesOfRoles(roles: NonNullable<PhaseFields['params']['roles']>): BrokenRule[] {
  return Object.entries(roles).flatMap(([name, { command, env = {} }]): BrokenRule[] => {
    const path = ['params', 'roles', name];
    if (name === trainerRole)
      return [{ path, message: 'is the role of those that params.command starts: name the others, such as "engine"' }];
    return [
      ...command.flatMap((text, index) => unknownIn(text, [...path, 'command', index])),
      ...rulesOfVariables(env, [...path, 'env']),
    ];
  });
}

function rulesOfVariables(env: Readonly<Record<string, string>>, above: Path): BrokenRule[] {
  return Object.entries(env).flatMap(([name, text]) => {
    const path = [...above, name];
    if (name.startsWith('TEMPER_')) return [{ path, message: 'is one that Temper sets itself' }];
    return unknownIn(text, path);
  });
}

function unknownIn(text: string, path: Path, valid: readonly string[] = everywhere): BrokenRule[] {
  return placeholdersIn(text)
    .filter((name) => !valid.includes(name))
    .map((name) => ({ path, message: unknownPlaceholder(name, valid) }));
}

function unknownPlaceholder(name: string, valid: readonly string[]): string {
  if (name === checkpointPlaceholder)
    return `has {${name}}, and a first attempt has none: it belongs into "resumeArgs"`;
  const near = nearestName(name, valid);
  const meant = near === null ? '; those' : `; did you mean {${near}}? Those`;
  return `has {${name}}, which is no placeholder${meant} are: ${valid.map((each) => `{${each}}`).join(', ')}. To keep it as it is, write {{${name}}}`;
}

/** Names in single braces, whether they are placeholders or not. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(placeholderPattern)].flatMap(([, name]) => name ?? []);
}
