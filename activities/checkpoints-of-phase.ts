/**
 * The checkpoints of a phase over all its attempts: as resume points, in the ledger, and as candidates of the gate.
 *
 * Covers reading the store and the ledger. Does not cover choosing (decisions/).
 */
import { checkpointId } from '../decisions/checkpoint-id.ts';
import { dueSteps } from '../decisions/due-steps.ts';
import type { ResumeCandidate } from '../decisions/resume-point.ts';
import type { CheckpointOnStore } from '../store/checkpoints.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { CheckpointRef, PhaseContext } from '../workflows/contract.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** Everything an attempt of this run might go on from, torn ones included. */
export async function candidatesOfPhase(
  dependencies: ActivityDependencies,
  context: PhaseContext,
): Promise<ResumeCandidate[]> {
  const attempts = await attemptsOfRun(dependencies, context);
  const { store } = dependencies.placeOf(context.profile);
  const found = await Promise.all(
    attempts.map(async ({ number, directory }) => {
      const checkpoints = directory === null ? [] : await store.checkpoints(directory);
      return checkpoints.map((checkpoint) => ({
        ...checkpoint,
        id: idOf(context, number, checkpoint.step),
        level: checkpoint.seal ? ('sealed' as const) : checkpoint.level,
        digest: checkpoint.seal?.digest ?? null,
      }));
    }),
  );
  return found.flat();
}

/** Records a complete checkpoint; again changes nothing. */
export async function recordCheckpoint(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  of: { readonly attempt: number; readonly checkpoint: CheckpointOnStore },
): Promise<CheckpointRef> {
  const { attempt, checkpoint } = of;
  const record = await dependencies.ledger.recordCheckpoint({
    id: idOf(context, attempt, checkpoint.step),
    workflowId: context.pipelineId,
    runId: context.runId,
    phase: context.phase.name,
    attempt,
    step: checkpoint.step,
    parent: context.start?.id ?? null,
    path: checkpoint.path,
    format: checkpoint.format,
    base: checkpoint.format === 'peft' ? baseBelow(context.start) : null,
    bytes: checkpoint.bytes,
    resumable: checkpoint.resumable,
    finite: checkpoint.finite,
    at: dependencies.now().toISOString(),
  });
  return refOf(record);
}

export function refOf(record: CheckpointRecord): CheckpointRef {
  const { id, path, format, base, step, digest } = record;
  return { id, path, format, base, step, digest };
}

/** The full model that an adapter made from `start` lies on. */
function baseBelow(start: CheckpointRef | null): string | null {
  if (start === null) return null;
  return start.format === 'peft' ? start.base : start.path;
}

/**
 * Of this run, the recorded checkpoints at due steps that the completed attempt descends from or made itself: what an attempt
 * wrote after the step that its successor went back to is no candidate.
 */
export async function candidatesForGate(
  dependencies: ActivityDependencies,
  context: PhaseContext,
): Promise<CheckpointRecord[]> {
  const attempts = await attemptsOfRun(dependencies, context);
  const records = await dependencies.ledger.checkpointsOf({ runId: context.runId, phase: context.phase.name });
  const due = new Set(context.phase.evaluate ? dueSteps(context.phase) : dueSteps(context.phase).slice(-1));
  const chosen = new Map<number, CheckpointRecord>();
  let upTo = Infinity;
  for (
    let at = attempts.findLast(({ state }) => state === 'completed');
    at !== undefined;
    at = predecessor(attempts, at)
  ) {
    for (const record of records) {
      if (record.attempt === at.number && record.step <= upTo && due.has(record.step) && !chosen.has(record.step))
        chosen.set(record.step, record);
    }
    upTo = Math.min(upTo, resumeOf(at)?.step ?? 0);
  }
  return [...chosen.values()].sort((a, b) => a.step - b.step);
}

function predecessor(
  attempts: readonly AttemptRecord[],
  { request, number }: AttemptRecord,
): AttemptRecord | undefined {
  const from = resumeOf({ request });
  if (from === null) return undefined;
  return attempts.find(
    (other) => other.number < number && other.directory !== null && from.path.startsWith(`${other.directory}/`),
  );
}

function resumeOf({
  request,
}: Pick<AttemptRecord, 'request'>): { readonly path: string; readonly step: number } | null {
  return (request as { resume: { path: string; step: number } | null } | null)?.resume ?? null;
}

async function attemptsOfRun(
  dependencies: ActivityDependencies,
  context: PhaseContext,
): Promise<readonly AttemptRecord[]> {
  return await dependencies.ledger.attemptsOf({
    workflowId: context.pipelineId,
    runId: context.runId,
    phase: context.phase.name,
    purpose: 'train',
  });
}

function idOf(context: PhaseContext, attempt: number, step: number): string {
  return checkpointId({ workflowId: context.pipelineId, phase: context.phase.name, attempt, step });
}
