/**
 * What a recipe asks for that a profile cannot give: found before anything starts, and told at the recipe's field.
 *
 * Covers images, and of commands their roles, and placeholders that mean nothing where they run. Does not cover nodes and GPUs (placement-processes.ts)
 * or what the cluster itself lacks.
 */
import type { CommandPhase } from '../decisions/command-line.ts';
import { imageMissing, placingOf } from './job-needs.ts';
import { misfitsOfProcesses } from './placement-processes.ts';
import { fieldName, type Misfit, type Path, type PlacedProblem } from './problems.ts';
import { placeholdersIn } from './schema-command-rules.ts';
import type { KubernetesProfile } from './schema-profile.ts';
import type { Phase, Profile, Recipe } from './schema.ts';

/** None where every phase can run. */
export function placementProblems(recipe: Recipe, profile: Profile): PlacedProblem[] {
  return recipe.phases.flatMap((phase, index) => {
    const misfits = profile.backend === 'local' ? misfitsHere(phase, profile) : misfitsOfPods(phase, profile);
    return misfits.map((misfit) => {
      const path = ['phases', index, ...misfit.path];
      return { ...misfit, path, field: fieldName(recipe, path) };
    });
  });
}

function misfitsHere({ kind, params }: Phase, { name }: Profile): Misfit[] {
  if (kind !== 'command' || params.roles === undefined) return [];
  const message = `are pods of their own, and profile "${name}" runs jobs as processes of its machine: name a profile of Kubernetes`;
  return [{ path: ['params', 'roles'], message, of: 'name' }];
}

function misfitsOfPods(phase: Phase, profile: KubernetesProfile): Misfit[] {
  const own = phase.kind === 'command' ? [...misfitsOfHome(phase, profile), ...misfitsOfRoles(phase, profile)] : [];
  return [...own, ...misfitsOfImages(phase, profile), ...misfitsOfProcesses(phase, profile)];
}

/** Of every job of the phase: also of those that seal and evaluate what a command has trained. */
function misfitsOfImages(phase: Phase, profile: KubernetesProfile): Misfit[] {
  const { name, kind } = phase;
  const own = kind === 'command' ? [{ kind, image: phase.params.image ?? null }, { kind: 'seal' }] : [{ kind }];
  const jobs = phase.evaluate === undefined ? own : [...own, { kind: 'evaluate' }];
  return jobs.flatMap((job) => {
    const message = imageMissing(profile, { phase: name, ...job });
    return message === null ? [] : [{ path: [], message, of: 'value' as const }];
  });
}

/** Temper's own files are not in the image of a foreign trainer. */
function misfitsOfHome({ params }: CommandPhase, { name }: KubernetesProfile): Misfit[] {
  const texts: readonly (readonly [Path, string])[] = [
    ...params.command.map((text, index) => [['params', 'command', index], text] as const),
    ...params.resumeArgs.map((text, index) => [['params', 'resumeArgs', index], text] as const),
    ...Object.entries(params.env).map(([key, text]) => [['params', 'env', key], text] as const),
    [['params', 'workingDirectory'], params.workingDirectory],
    ...Object.entries(params.roles ?? {}).flatMap(([role, { command, env = {} }]) => [
      ...command.map((text, index) => [['params', 'roles', role, 'command', index], text] as const),
      ...Object.entries(env).map(([key, text]) => [['params', 'roles', role, 'env', key], text] as const),
    ]),
  ];
  const message = `has {home}, and profile "${name}" runs it in a container, which holds nothing of Temper: name a path of its image or of the store`;
  return texts
    .filter(([, text]) => placeholdersIn(text).includes('home'))
    .map(([path]) => ({ path, message, of: 'value' }));
}

function misfitsOfRoles({ name: phase, kind, params }: CommandPhase, profile: KubernetesProfile): Misfit[] {
  const has = Object.keys(params.roles ?? {});
  const placed = Object.keys(placingOf(profile, { phase, kind }).roles);
  const named = Object.keys(profile.jobs[phase]?.roles ?? {});
  return [
    ...has
      .filter((role) => !placed.includes(role))
      .map((role): Misfit => {
        const message = `has no pods on profile "${profile.name}": say there how many, as jobs.${phase}.roles.${role}`;
        return { path: ['params', 'roles', role], message, of: 'name' };
      }),
    ...named
      .filter((role) => !has.includes(role))
      .map((role): Misfit => {
        const message = `has no role "${role}", and profile "${profile.name}" gives it pods (jobs.${phase}.roles.${role})${has.length > 0 ? `; it has: ${has.join(', ')}` : ''}`;
        return { path: ['params'], message, of: 'name' };
      }),
  ];
}
