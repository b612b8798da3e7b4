/**
 * Commands whose first process is a shell that may hand no signal on: SIGTERM then ends at the shell, and the trainer is killed at the end
 * of its grace, before it has saved.
 *
 * A warning and no refusal: some shells give their place to the last program of a script by themselves, and what runs may have nothing to
 * save. Does not cover jobs of this machine, whose processes all get the signal, nor what scripts of an image do.
 */
import { z } from 'zod';
import type { KubernetesProfile } from './schema-profile.ts';
import type { Profile, Recipe } from './schema.ts';

const shells = /(^|\/)(sh|bash|dash|ash|zsh|ksh)$/;
/** `2>&1`, `>"a log"`, `> >(tee log)`: behind `exec` alone they change the shell's own files, and it stays. */
const redirection = String.raw`(?:\d+|&|\{\w+\})?[<>]{1,2}[&|]?[ \t]*(?:"[^"]*"|'[^']*'|[<>]\([^)]*\)|[^\s;&|"'<>])+`;
/** As a word of the script: one that takes the shell's place, or one that says what the shell does at a signal. */
const answers = new RegExp(
  String.raw`(^|[\s;&|(){}])(trap\s|exec[ \t]+(?:${redirection}[ \t]+)*(?!${redirection})[^\s;&|])`,
);
const trainer = 'trainer';

/** A sentence for each, of the recipe's phases and of the profile; none for a profile of this machine. */
export function deafShells(profile: Profile, recipe: Pick<Recipe, 'phases'> | null): string[] {
  if (profile.backend !== 'kubernetes') return [];
  return [...commandsOfRecipe(recipe), ...commandsOfProfile(profile)].flatMap(({ what, argv }) => {
    const shell = deafShellIn(argv);
    return shell === null
      ? []
      : [
          `${what} runs a script of ${shell} without exec: SIGTERM reaches the shell alone, and a trainer that is stopped or evicted is killed before it has saved; begin the script’s last command with \`exec\``,
        ];
  });
}

interface NamedCommand {
  readonly what: string;
  readonly argv: readonly string[];
}

function commandsOfRecipe(recipe: Pick<Recipe, 'phases'> | null): NamedCommand[] {
  return (recipe?.phases ?? []).flatMap((phase) => {
    if (phase.kind !== 'command') return [];
    const { command, roles } = phase.params;
    return [
      { what: `phase "${phase.name}" (params.command)`, argv: command },
      ...Object.entries(roles ?? {}).map(([name, role]) => ({
        what: `phase "${phase.name}" (params.roles.${name}.command)`,
        argv: role.command,
      })),
    ];
  });
}

function commandsOfProfile({ name, jobs, podTemplate }: KubernetesProfile): NamedCommand[] {
  const ofJobs = Object.entries(jobs).map(([entry, { command = [] }]) => ({
    what: `jobs.${entry}.command of profile "${name}"`,
    argv: command,
  }));
  return [...ofJobs, { what: `podTemplate of profile "${name}"`, argv: patchedCommand(podTemplate) }];
}

const patch = z.object({
  spec: z.object({
    containers: z.array(
      z.object({ name: z.string(), command: z.array(z.string()).default([]), args: z.array(z.string()).default([]) }),
    ),
  }),
});

/** What a patch of the pod template makes the trainer's container run; whether it can be merged is asked elsewhere. */
function patchedCommand(podTemplate: KubernetesProfile['podTemplate']): readonly string[] {
  const read = patch.safeParse(podTemplate);
  const own = read.data?.spec.containers.find(({ name }) => name === trainer);
  return own === undefined ? [] : [...own.command, ...own.args];
}

/** The shell, as the command names it; null where it hands signals on, or there is none. */
function deafShellIn([program = '', ...words]: readonly string[]): string | null {
  if (!shells.test(program)) return null;
  const option = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = option < 0 ? undefined : words[option + 1];
  return script === undefined || answers.test(script) ? null : program;
}
