/**
 * Which pods of a job have which role: the trainers have the first indexes, the others follow in the order of the recipe.
 *
 * One indexed Job holds them all, so that they are admitted, stopped and over together. Its pods have one template: a role may have another
 * command, never other resources. Does not cover the command (role-script.ts).
 */
import type { JobNeeds } from '../configs/job-needs.ts';
import { trainerRole } from '../configs/schema-command.ts';
import type { JobCommand } from '../decisions/command-line.ts';
import { TemperError } from '../decisions/errors.ts';
import type { RankRole } from '../decisions/failure.ts';

/** The pods with the indexes from `first` on, `count` of them. */
export interface PodRole {
  readonly name: string;
  readonly first: number;
  readonly count: number;
}

export interface PodRolesOrder {
  readonly command: Pick<JobCommand, 'roles'> | undefined;
  readonly needs: JobNeeds;
  /** By whose name a person finds what is missing. */
  readonly profile: string;
  readonly phase: string;
}

/** The trainers first. Throws `invalid-input` where the profile gives a role no pods. */
export function podRoles({ command, needs, profile, phase }: PodRolesOrder): readonly PodRole[] {
  const roles: PodRole[] = [{ name: trainerRole, first: 0, count: needs.nodes }];
  for (const { name } of command?.roles ?? []) {
    const count = needs.roles[name];
    if (count === undefined)
      throw new TemperError(
        'invalid-input',
        `profile "${profile}" does not say how many pods of role "${name}" there are: set jobs.${phase}.roles.${name}`,
      );
    roles.push({ name, first: podCount(roles), count });
  }
  return roles;
}

export function podCount(roles: readonly PodRole[]): number {
  return roles.reduce((sum, { count }) => sum + count, 0);
}

/** As an annotation keeps them. */
export function rolesText(roles: readonly PodRole[]): string {
  return JSON.stringify(Object.fromEntries(roles.map(({ name, count }) => [name, count])));
}

/** The role of the pod with this index, by the annotation of its Job; null where pods have no roles, or it was written over. */
export function roleOfPod(index: number, text: string | undefined): RankRole | null {
  if (text === undefined) return null;
  let first = 0;
  for (const [name, count] of Object.entries(countsIn(text))) {
    if (index < first + count) return { name, index: index - first };
    first += count;
  }
  return null;
}

function countsIn(text: string): Record<string, number> {
  try {
    const counts: unknown = JSON.parse(text);
    return typeof counts === 'object' && counts !== null ? (counts as Record<string, number>) : {};
  } catch {
    return {};
  }
}
