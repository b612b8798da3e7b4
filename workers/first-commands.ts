/**
 * The commands of a recipe's phases of kind `command`, as the first attempt of each would run them if every phase before it were done in
 * its first attempt, and its last checkpoint promoted.
 *
 * What is promoted is known only when it is: a worker fills in the real paths. Does not cover resumes.
 */
import { join } from 'node:path';
import type { Phase, Recipe } from '../configs/schema.ts';
import { startOfPhase, type StartOfPhase } from '../configs/start-of-phase.ts';
import { commandOf, type JobCommand, placeholderValues } from '../decisions/command-line.ts';
import { targetStepOf } from '../decisions/due-steps.ts';
import { outputFolder } from '../store/foreign/reading.ts';
import { runDirectory, runFiles } from '../store/run-directory.ts';

interface Checkpoint {
  readonly path: string;
  /** The full model below an adapter; itself else. */
  readonly base: string;
}

/** By phase. */
export function firstCommands(recipe: Recipe, store: string, pipeline: string): ReadonlyMap<string, JobCommand> {
  const last = new Map<string, Checkpoint>();
  const commands = new Map<string, JobCommand>();
  for (const [position, phase] of recipe.phases.entries()) {
    const start = startIn(last, startOfPhase(phase, recipe.phases[position - 1]));
    const directory = runDirectory(store, { pipeline, phase: phase.name, purpose: 'train', number: 1 });
    if (phase.kind === 'command') {
      const values = placeholderValues(phase, {
        output: outputFolder(directory),
        start: start?.path ?? null,
        base: start?.base ?? null,
        checkpoint: null,
        home: null,
        seed: recipe.seed,
        attempt: 1,
      });
      commands.set(phase.name, commandOf(phase, values));
    }
    const path = join(runFiles(directory).checkpoints, `checkpoint-${String(targetStepOf(phase))}`);
    last.set(phase.name, { path, base: isAdapter(phase) && start !== null ? start.base : path });
  }
  return commands;
}

/** Where a finished checkpoint of another pipeline lies only a worker knows: its name stands for its path. */
function startIn(last: ReadonlyMap<string, Checkpoint>, start: StartOfPhase | null): Checkpoint | null {
  if (start?.kind === 'checkpoint') return { path: `<${start.named}>`, base: `<${start.named}>` };
  return start === null ? null : (last.get(start.phase) ?? null);
}

function isAdapter(phase: Phase): boolean {
  if (phase.kind === 'command') return phase.params.checkpoints.format === 'peft';
  return phase.kind === 'sft' || phase.kind === 'drgrpo' || phase.kind === 'orpo';
}
