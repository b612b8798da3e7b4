/**
 * What people ask of a pipeline while it runs: each message is checked, kept in the ledger with who, when and why, and handed to the
 * phase that it is meant for.
 *
 * Covers what is asked before its phase begins. Does not cover whether a message may come (decisions/steering.ts), what a phase makes of
 * it (phase-steering.ts), or releases (pipeline-board.ts).
 */
import type { UpdateDefinition } from '@temporalio/common';
import { getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  type ExtendBudgetInput,
  extendBudgetInputSchema,
  type HoldInput,
  holdInputSchema,
  type PromoteInput,
  promoteInputSchema,
  type RetryPhaseInput,
  retryPhaseInputSchema,
  type SkipPhaseInput,
  skipPhaseInputSchema,
} from '../../configs/schema-input-steering.ts';
import { mayEndHold, mayExtend, mayHold, maySkip, type SteeredPhases } from '../../decisions/steering.ts';
import { budgetsText, changesText, sentenceOfSteering } from '../../decisions/steering-sentences.ts';
import { childIds, type ResolvedPipeline } from '../contract.ts';
import { inputOf } from '../input-of.ts';
import { activities } from '../jobs.ts';
import { orUndo } from '../or-undo.ts';
import type { PipelineBoard } from '../pipeline-board.ts';
import { refusal } from '../refusal.ts';
import {
  extendBudgetUpdate,
  holdUpdate,
  type PhaseMessage,
  promoteUpdate,
  retryPhaseUpdate,
  skipPhaseUpdate,
  steerSignal,
} from './messages.ts';
import { mayDo, recordSteering } from './asked-by-person.ts';

export interface PipelineSteering {
  /** The recipe is known. */
  opened(resolved: ResolvedPipeline): void;
  /** A phase begins: with the recipe as it is now. `hold`: who asked to hold it at once, and why; `skip`: the same of one that is not to begin. */
  begins(phase: string): {
    readonly resolved: ResolvedPipeline;
    readonly hold: string | null;
    readonly skip: string | null;
  };
  /** It is over. A hold that came too late for it is of the next. */
  over(phase: string): void;
}

interface Steered {
  readonly board: PipelineBoard;
  resolved: ResolvedPipeline | null;
  /** The phase that runs. */
  current: string | null;
  /** Who asked to hold a phase, and why, by its name: it is not held yet. */
  readonly holds: Map<string, string>;
  /** The same of phases that are not to begin. */
  readonly skips: Map<string, string>;
}

export function pipelineSteering(board: PipelineBoard): PipelineSteering {
  const steered: Steered = { board, resolved: null, current: null, holds: new Map(), skips: new Map() };
  board.onReport(({ phase, state }) => {
    if (state === 'held') steered.holds.delete(phase);
  });
  answer(holdUpdate, {
    description:
      '{"phase": "sft", "by": "you", "reason": "why"}, each optional: stops the phase that runs with a save, releases its GPUs and holds it; one that has not begun is held before it begins',
    read: (input) => inputOf('hold', holdInputSchema, input),
    phaseOf: ({ phase }) => mayDo(mayHold(phasesOf(steered), phase)).phase.name,
    act: async (phase, input) => await hold(steered, phase, input),
  });
  answer(retryPhaseUpdate, {
    description:
      '{"phase": "sft", "set": {"params.learningRate": 0.0001}, "by": "you", "reason": "why"}, each optional: a held phase begins anew from its start, with these parameters',
    read: readRetry,
    phaseOf: ({ phase }) => mayDo(mayEndHold(phasesOf(steered), phase)).phase.name,
    act: async (phase, input) => await retry(steered, phase, input),
  });
  answer(promoteUpdate, {
    description:
      '{"phase": "sft", "checkpoint": "sft-40", "by": "you", "reason": "why"}, all but the checkpoint optional: ends a held phase with this checkpoint of it, whatever its gate says',
    read: (input) => inputOf('promote', promoteInputSchema, input),
    phaseOf: ({ phase }) => mayDo(mayEndHold(phasesOf(steered), phase)).phase.name,
    act: async (phase, input) => await promote(steered, phase, input),
  });
  answer(skipPhaseUpdate, {
    description:
      '{"phase": "orpo", "by": "you", "reason": "why"}, each optional: ends a phase that is held or has not begun; the next one starts from what this one starts from',
    read: (input) => inputOf('skipPhase', skipPhaseInputSchema, input),
    phaseOf: ({ phase }) => mayDo(maySkip(phasesOf(steered), phase)).phase.name,
    act: async (phase, input) => await skip(steered, phase, input),
  });
  answer(extendBudgetUpdate, {
    description:
      '{"budgets": {"attempts": 9, "gpuHours": 40, "evaluations": 200}, "by": "you", "reason": "why"}: what may be spent from now on, in all; name those that become larger',
    read: (input) => inputOf('extendBudget', extendBudgetInputSchema, input),
    phaseOf: ({ budgets: wanted }) =>
      mayDo(mayExtend(phasesOf(steered), { now: steered.resolved?.recipe.budgets ?? null, wanted })).phase.name,
    act: async (phase, input) => await extend(steered, phase, input),
  });

  return {
    opened(resolved) {
      steered.resolved = resolved;
    },
    begins(phase) {
      steered.current = phase;
      const { resolved, holds, skips } = steered;
      if (resolved === null) throw new Error('a phase begins before the recipe is known');
      return { resolved, hold: holds.get(phase) ?? null, skip: skips.get(phase) ?? null };
    },
    over(phase) {
      const late = steered.holds.get(phase);
      steered.holds.delete(phase);
      steered.current = null;
      const next = phasesOf(steered).find(({ state }) => state === 'waiting');
      if (late !== undefined && next !== undefined) steered.holds.set(next.name, late);
    },
  };
}

interface Message<Input> {
  /** Begins with the shape of its input. */
  readonly description: string;
  /** Throws what is wrong with it. */
  readonly read: (input: unknown) => Input;
  /** The phase it is meant for; throws why it cannot be done. */
  readonly phaseOf: (input: Input) => string;
  /** Does it. What a second message must know is kept before anything is waited for. */
  readonly act: (phase: string, input: Input) => Promise<string>;
}

function answer<Input>(
  update: UpdateDefinition<string, [Input | undefined]>,
  { description, read, phaseOf, act }: Message<Input>,
): void {
  const handler = async (given?: Input): Promise<string> => {
    const input = read(given);
    return await act(phaseOf(input), input);
  };
  const validator = (given?: Input): void => {
    phaseOf(read(given));
  };
  setHandler(update, handler, { description, validator });
}

async function hold(steered: Steered, phase: string, input: HoldInput): Promise<string> {
  const sentence = sentenceOfSteering({ message: 'hold' }, input);
  const runs = steered.current === phase;
  steered.holds.set(phase, sentence);
  await orUndo(
    () => recordSteering({ runId: steered.board.runId(), phase }, { message: 'hold' }, input),
    () => steered.holds.delete(phase),
  );
  if (!runs) return `phase ${phase} is held before it begins`;
  if (steered.current === phase) await tell(phase, { kind: 'hold', sentence });
  const isNext = phasesOf(steered).some(({ name, state }) => name !== phase && state === 'waiting');
  const late = isNext ? 'the next is held before it begins' : 'no phase is left to hold';
  return `phase ${phase} stops and saves, and is held then; were it over by then, ${late}`;
}

async function skip(steered: Steered, phase: string, input: SkipPhaseInput): Promise<string> {
  const sentence = sentenceOfSteering({ message: 'skipPhase' }, input);
  const runs = steered.current === phase;
  if (runs) steered.board.settle(phase, true);
  else steered.skips.set(phase, sentence);
  await orUndo(
    () => recordSteering({ runId: steered.board.runId(), phase }, { message: 'skipPhase' }, input),
    () => {
      if (runs) steered.board.settle(phase, false);
      else steered.skips.delete(phase);
    },
  );
  if (runs) await tell(phase, { kind: 'skip', sentence });
  return `phase ${phase} is skipped: what follows starts from what it starts from`;
}

/** Fields of the phase alone: the rest of the recipe has been at work already. */
function readRetry(given: unknown): RetryPhaseInput {
  const input = inputOf('retryPhase', retryPhaseInputSchema, given);
  const other = Object.keys(input.set ?? {}).find((field) => !field.startsWith('params.'));
  if (other === undefined) return input;
  const message = `set: ${other} is no field that a retry may change; those are params.<field>`;
  throw refusal({ type: 'InvalidInput', message });
}

async function retry(steered: Steered, phase: string, input: RetryPhaseInput): Promise<string> {
  const { set = {} } = input;
  const sentence = sentenceOfSteering({ message: 'retryPhase', set }, input);
  steered.board.settle(phase, true);
  const changeAndRecord = async () => {
    if (Object.keys(set).length > 0) await changeRecipe(steered, phase, set);
    await recordSteering({ runId: steered.board.runId(), phase }, { message: 'retryPhase', set }, input);
  };
  await orUndo(changeAndRecord, () => {
    steered.board.settle(phase, false);
  });
  await tell(phase, { kind: 'again', sentence });
  return `phase ${phase} begins anew from its start${changesText(set)}`;
}

async function promote(steered: Steered, phase: string, input: PromoteInput): Promise<string> {
  const { board, resolved } = steered;
  board.settle(phase, true);
  const endWithIt = async () => {
    const checkpoint = await activities(`${phase}: look for the checkpoint`).nameCheckpoint({
      runId: board.runId(),
      phase,
      profile: resolved?.profile.name ?? '',
      checkpoint: input.checkpoint,
    });
    const request = { message: 'promote', checkpoint: checkpoint.id } as const;
    const steering = await recordSteering({ runId: board.runId(), phase }, request, input);
    board.promoted(phase, { checkpoint: checkpoint.id, by: input });
    await tell(phase, { kind: 'promote', checkpoint, sentence: sentenceOfSteering(request, input), steering });
    return `phase ${phase} ends with ${checkpoint.id}`;
  };
  return await orUndo(endWithIt, () => {
    board.settle(phase, false);
  });
}

async function changeRecipe(steered: Steered, phase: string, set: Readonly<Record<string, unknown>>): Promise<void> {
  const { resolved } = steered;
  if (resolved === null) return;
  const fields = Object.fromEntries(Object.entries(set).map(([field, value]) => [`phases.${phase}.${field}`, value]));
  const changed = await activities(`${phase}: check what is to change`).changeRecipe({ resolved, set: fields });
  const before = resolved.changed.filter((field) => !(field in fields));
  // Budgets may have been extended meanwhile.
  const recipe = { ...changed.recipe, budgets: steered.resolved?.recipe.budgets ?? changed.recipe.budgets };
  change(steered, { ...resolved, ...changed, recipe, changed: [...before, ...Object.keys(fields)] });
}

async function extend(steered: Steered, phase: string, input: ExtendBudgetInput): Promise<string> {
  const { resolved } = steered;
  if (resolved === null) return '';
  const request = { message: 'extendBudget', budgets: present(input.budgets) } as const;
  const budgets = { ...resolved.recipe.budgets, ...request.budgets };
  change(steered, { ...resolved, recipe: { ...resolved.recipe, budgets } });
  await recordSteering({ runId: steered.board.runId(), phase }, request, input);
  if (steered.current === phase)
    await tell(phase, { kind: 'budgets', budgets, sentence: sentenceOfSteering(request, input) });
  const isHeld = steered.board.phases().some((one) => one.phase === phase && one.state === 'held');
  return `extended ${budgetsText(request.budgets)}${isHeld ? `; phase ${phase} is held: release it` : ''}`;
}

const present = ({ attempts, gpuHours, evaluations }: ExtendBudgetInput['budgets']) => ({
  ...(attempts !== undefined && { attempts }),
  ...(gpuHours !== undefined && { gpuHours }),
  ...(evaluations !== undefined && { evaluations }),
});

function change(steered: Steered, resolved: ResolvedPipeline): void {
  steered.resolved = resolved;
  steered.board.changed(resolved);
}

function phasesOf({ board, current, holds, skips }: Steered): SteeredPhases {
  return board.phases().map(({ phase: name, kind, state }) => ({
    name,
    kind,
    // It has begun, and its first word is on its way.
    state: state === 'waiting' && name === current ? 'running' : state,
    toBeHeld: holds.has(name),
    isSettled: skips.has(name) || board.isSettled(name),
  }));
}

async function tell(phase: string, message: PhaseMessage): Promise<void> {
  const handle = getExternalWorkflowHandle(childIds.phase(workflowInfo().workflowId, phase));
  // A phase that has ended meanwhile needs no word.
  await handle.signal(steerSignal, message).catch(() => undefined);
}
