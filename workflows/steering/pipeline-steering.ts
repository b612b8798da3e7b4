/**
 * What people ask of a pipeline while it runs: each message is checked, kept in the ledger with who, when and why, and handed to the
 * phase that it is meant for.
 *
 * Covers what is asked before its phase begins. Does not cover whether a message may come (decisions/steering.ts), what a phase makes of
 * it (phase-steering.ts), or releases (pipeline-board.ts).
 */
import { currentUpdateInfo, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { nearestName } from '../../configs/nearest-name.ts';
import { type HoldInput, holdInputSchema } from '../../configs/schema-input-steering.ts';
import { mayHold, type Steer, type SteeredPhases } from '../../decisions/steering.ts';
import { sentenceOfSteering, type SteeredBy, type SteeringRequest } from '../../decisions/steering-sentences.ts';
import { childIds, type PhaseReport } from '../contract.ts';
import { activities } from '../jobs.ts';
import type { PipelineBoard } from '../pipeline-board.ts';
import { refusal } from '../refusal.ts';
import { inputOf } from './input-of.ts';
import { holdUpdate, type PhaseMessage, steerSignal } from './messages.ts';

export interface PipelineSteering {
  /** It begins: who asked to hold it at once, and why; null where nobody did. */
  begins(phase: string): string | null;
  /** It is over. What was asked of it and came too late is asked of the next. */
  over(phase: string): void;
}

interface Steered {
  /** The phase that runs. */
  current: string | null;
  /** Who asked to hold the phase, and why, by its name: it is not held yet. */
  readonly holds: Map<string, string>;
}

export function pipelineSteering(board: Pick<PipelineBoard, 'phases' | 'onReport'>): PipelineSteering {
  const steered: Steered = { current: null, holds: new Map() };
  const phases = () => phasesOf(steered, board.phases());
  board.onReport(({ phase, state }) => {
    if (state === 'held') steered.holds.delete(phase);
  });

  const toHold = (input: unknown) => mayDo(mayHold(phases(), inputOf('hold', holdInputSchema, input).phase)).phase.name;
  setHandler(holdUpdate, async (input: HoldInput = {}) => await hold(steered, toHold(input), input), {
    description:
      '{"phase": "sft", "by": "you", "reason": "why"}, each optional: stops the phase that runs with a save, releases its GPUs and holds it; one that has not begun is held before it begins',
    validator: (input?: HoldInput) => {
      toHold(input);
    },
  });

  return {
    begins(phase) {
      steered.current = phase;
      return steered.holds.get(phase) ?? null;
    },
    over(phase) {
      const late = steered.holds.get(phase);
      steered.holds.delete(phase);
      steered.current = null;
      const next = phases().find(({ state }) => state === 'waiting');
      if (late !== undefined && next !== undefined) steered.holds.set(next.name, late);
    },
  };
}

async function hold(steered: Steered, phase: string, input: HoldInput): Promise<string> {
  const sentence = sentenceOfSteering({ message: 'hold' }, input);
  const runs = steered.current === phase;
  // Before anything is waited for: a second one that comes meanwhile is refused.
  steered.holds.set(phase, sentence);
  await record(phase, { message: 'hold' }, input);
  if (!runs) return `phase ${phase} is held before it begins`;
  if (steered.current === phase) await tell(phase, { kind: 'hold', sentence });
  return `phase ${phase} stops and saves, and is held then; were it over by then, the next is held before it begins`;
}

function phasesOf({ current, holds }: Steered, reports: readonly PhaseReport[]): SteeredPhases {
  return reports.map(({ phase: name, kind, state }) => ({
    name,
    kind,
    // It has begun, and its first word is on its way.
    state: state === 'waiting' && name === current ? 'running' : state,
    toBeHeld: holds.has(name),
  }));
}

/** Throws what a person sees in the form. */
function mayDo<Found>(steer: Steer<Found>): Found {
  if (steer.kind === 'may') return steer;
  if (steer.kind === 'refused') throw refusal({ type: 'NotNow', message: steer.why });
  const { named, names } = steer;
  const near = nearestName(named, names);
  const meant = near === null ? ';' : `; did you mean "${near}"?`;
  throw refusal({ type: 'NotFound', message: `there is no phase "${named}"${meant} phases: ${names.join(', ')}` });
}

async function record(phase: string, request: SteeringRequest, { by, reason }: SteeredBy): Promise<void> {
  const { workflowId: pipelineId, runId } = workflowInfo();
  const id = currentUpdateInfo()?.id ?? '';
  await activities(`${phase}: record who asked for ${request.message}`).recordSteering({
    ...{ pipelineId, runId, phase, id, request },
    by: { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) },
  });
}

async function tell(phase: string, message: PhaseMessage): Promise<void> {
  const handle = getExternalWorkflowHandle(childIds.phase(workflowInfo().workflowId, phase));
  // A phase that has ended meanwhile needs no word.
  await handle.signal(steerSignal, message).catch(() => undefined);
}
