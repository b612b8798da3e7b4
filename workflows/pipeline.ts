/**
 * A recipe on a profile, from its base to its last promoted checkpoint.
 *
 * Covers the order of the phases and what the run's page shows. Does not cover what a phase does (phase.ts).
 */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { Phase } from '../configs/schema.ts';
import { pipelineInputSchema } from '../configs/schema-input.ts';
import { startOfPhase } from '../configs/start-of-phase.ts';
import {
  type CheckpointRef,
  childIds,
  type PhaseContext,
  type PhaseOutcome,
  type PipelineInput,
  type PipelineResult,
  type ResolvedPipeline,
} from './contract.ts';
import { explained } from './explained.ts';
import { whenIdIsFree } from './child-run.ts';
import { inputOfWorkflow } from './input-of.ts';
import { activities } from './jobs.ts';
import { trainPhase } from './phase.ts';
import { waitingPhase } from './phase-board.ts';
import { phaseDetails, phaseSummary } from './phase-words.ts';
import { pipelineBoard, type PipelineBoard } from './pipeline-board.ts';
import { hearScores } from './record-score.ts';
import type { PhaseAgain } from './steering/end-by-person.ts';
import { type PipelineSteering, pipelineSteering } from './steering/pipeline-steering.ts';
import { orCloseTerminated } from './terminated-phase.ts';

export async function postTrainingPipeline(input?: PipelineInput): Promise<PipelineResult> {
  const board = pipelineBoard();
  const steering = pipelineSteering(board);
  hearScores(board);
  const resolved = await resolve(input);
  const opened = await activities('open the pipeline').openPipeline({ ...identityOf(board), resolved });
  board.opened(resolved, opened);
  steering.opened(resolved);

  const outcomes = new Map<string, PhaseOutcome>();
  try {
    for (const { name } of resolved.recipe.phases) {
      outcomes.set(name, await phaseToItsEnd({ board, steering, outcomes }, name));
      steering.over(name);
    }
    return await finished(board, outcomes);
  } catch (error) {
    const state = isCancellation(error) ? 'cancelled' : 'failed';
    await CancellationScope.nonCancellable(() =>
      activities(`record that it is ${state}`).closePipeline({ ...identityOf(board), state }),
    );
    board.ended(state);
    throw explained(error);
  }
}

interface Story {
  readonly board: PipelineBoard;
  readonly steering: PipelineSteering;
  readonly outcomes: ReadonlyMap<string, PhaseOutcome>;
}

/** Runs a phase until it ends: again and again, where a person has it begin anew. */
async function phaseToItsEnd({ board, steering, outcomes }: Story, name: string): Promise<PhaseOutcome> {
  board.begins(name);
  for (;;) {
    const begun = () => {
      const { resolved, hold, skip } = steering.begins(name);
      const phase = phaseNamed(resolved, name);
      const context = contextOf(board, resolved, { phase, start: startOf(resolved, phase, outcomes) });
      return { skip, context: hold === null ? context : { ...context, holdAsked: hold } };
    };
    const { skip, context } = begun();
    if (skip !== null && context.start !== null)
      return await skipped(board, { ...context, start: context.start }, skip);
    // Asked again when it starts: an earlier run of its id may take minutes to close, and people ask for something meanwhile.
    const ended = await orCloseTerminated(board, context, () =>
      whenIdIsFree(childIds.phase(context.pipelineId, name), () => runPhase(begun().context)),
    );
    if (!('again' in ended)) return ended;
  }
}

function phaseNamed({ recipe }: ResolvedPipeline, name: string): Phase {
  const phase = recipe.phases.find((one) => one.name === name);
  if (phase === undefined) throw new Error(`the recipe has no phase "${name}"`);
  return phase;
}

/** A phase that a person does not want to begin. */
async function skipped(
  board: PipelineBoard,
  context: PhaseContext & { readonly start: CheckpointRef },
  because: string,
): Promise<PhaseOutcome> {
  const { phase, start: checkpoint } = context;
  await activities(`skip ${phase.name}`).closePhase({ context, state: 'skipped', because, checkpoint });
  board.report({ ...waitingPhase(phase), state: 'skipped', note: because });
  return { state: 'skipped', checkpoint, because, score: null, seconds: { wall: 0, trainer: {} } };
}

async function resolve(input: PipelineInput | undefined): Promise<ResolvedPipeline> {
  try {
    return await activities('resolve the recipe').resolvePipeline(inputOfWorkflow(pipelineInputSchema, input));
  } catch (error) {
    throw explained(error);
  }
}

function identityOf(board: PipelineBoard): { pipelineId: string; runId: string } {
  return { pipelineId: workflowInfo().workflowId, runId: board.runId() };
}

/** The finished checkpoint that it names, or the promoted one of the phase that it starts from; null for a base. */
function startOf(
  { recipe: { phases }, starts = {} }: ResolvedPipeline,
  phase: Phase,
  outcomes: ReadonlyMap<string, PhaseOutcome>,
): CheckpointRef | null {
  const start = startOfPhase(phase, phases[phases.indexOf(phase) - 1]);
  if (start?.kind === 'checkpoint') return starts[phase.name] ?? null;
  return start === null ? null : (outcomes.get(start.phase)?.checkpoint ?? null);
}

function contextOf(
  board: PipelineBoard,
  resolved: ResolvedPipeline,
  { phase, start }: Pick<PhaseContext, 'phase' | 'start'>,
): PhaseContext {
  const { recipe } = resolved;
  return {
    ...identityOf(board),
    recipe: recipe.name,
    profile: resolved.profile.name,
    phase,
    position: recipe.phases.indexOf(phase),
    seed: recipe.seed,
    model: recipe.model,
    benchmarks: recipe.benchmarks,
    budgets: recipe.budgets,
    onFailure: recipe.onFailure,
    hold: recipe.hold,
    dataDigests: resolved.dataDigests,
    start,
    steers: true,
    ...(resolved.throttleSeconds === undefined ? {} : { throttleSeconds: resolved.throttleSeconds }),
    ...(resolved.profile.notify === undefined ? {} : { notifies: true as const }),
  };
}

async function runPhase(context: PhaseContext): Promise<PhaseOutcome | PhaseAgain> {
  const { phase } = context;
  return await executeChild(trainPhase, {
    workflowId: childIds.phase(context.pipelineId, phase.name),
    args: [context],
    staticSummary: phaseSummary(phase),
    staticDetails: phaseDetails(phase, context),
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
}

async function finished(board: PipelineBoard, outcomes: ReadonlyMap<string, PhaseOutcome>): Promise<PipelineResult> {
  // A score that is being recorded when the last phase ends is told so.
  await condition(allHandlersFinished);
  await activities('record that it is completed').closePipeline({ ...identityOf(board), state: 'completed' });
  board.ended('completed');
  // Whoever asked for something hears of it: a run that is over answers no one.
  await condition(allHandlersFinished);
  return { promoted: [...outcomes].map(([phase, outcome]) => ({ phase, outcome })) };
}
