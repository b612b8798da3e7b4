/**
 * The checkpoints of a phase over all its attempts: as resume points, in the ledger, and as candidates of the gate.
 *
 * Covers reading the store and the ledger. Does not cover choosing (decisions/).
 */
import type { LastGood } from '../decisions/after-collapse.ts';
import { checkpointId } from '../decisions/checkpoint-id.ts';
import { dueSteps } from '../decisions/due-steps.ts';
import { directoryAfter } from '../decisions/job-over.ts';
import type { CheckpointOnStore } from '../store/checkpoints.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { CheckpointRef, PhaseContext } from '../workflows/contract.ts';
import { predecessor, resumeOf } from './attempt-chain.ts';
import { begunAnewAfter } from './changes-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { identityOfPhase } from './phase-record.ts';
import { type FoundCheckpoints, trustedCheckpoints } from './trusted-checkpoints.ts';

/**
 * Everything an attempt might go on from, torn ones included: of this run, and of earlier runs of this workflow id that trained the
 * same. Nothing of an attempt whose checkpoints are not trusted; one that proved damaged counts as torn.
 */
export async function candidatesOfPhase(
  dependencies: ActivityDependencies,
  context: PhaseContext,
): Promise<FoundCheckpoints> {
  const { store } = dependencies.placeOf(context.profile);
  const { ledger } = dependencies;
  return await trustedCheckpoints({ ledger, store }, await attemptsOfWork(dependencies, context));
}

/** Whose checkpoints: its run, its phase, and what that began from. */
type PhaseOfCheckpoint = Pick<PhaseContext, 'pipelineId' | 'runId' | 'start'> & {
  readonly phase: Pick<PhaseContext['phase'], 'name'>;
};

/** Records a complete checkpoint; again changes nothing. */
export async function recordCheckpoint(
  dependencies: ActivityDependencies,
  context: PhaseOfCheckpoint,
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
 * The complete checkpoints at due steps that the completed attempt made or descends from: what an attempt wrote after the step that
 * its successor went back to is no candidate. With `upTo`, those up to this one, of the attempt that made it, complete or not.
 */
export async function candidatesForGate(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  upTo?: LastGood,
): Promise<readonly CheckpointRecord[]> {
  const attempts = await attemptsOfWork(dependencies, context);
  const last =
    upTo === undefined
      ? attempts.findLast(({ state, runId }) => state === 'completed' && runId === context.runId)
      : attempts.find(({ number }) => number === upTo.attempt);
  return (await lineOf(dependencies, context, { attempts, last, upTo: upTo?.step ?? Infinity })).checkpoints;
}

/** The due checkpoints that the newest attempt of this run made or descends from, and where each attempt on the way wrote. */
export async function curveOfPhase(
  dependencies: ActivityDependencies,
  context: PhaseContext,
): Promise<Line & { readonly attempt: number | null }> {
  const attempts = await attemptsOfWork(dependencies, context);
  const last = attempts.findLast(({ runId }) => runId === context.runId);
  const line = await lineOf(dependencies, context, { attempts, last, upTo: Infinity });
  return { ...line, attempt: last?.number ?? null };
}

interface Line {
  /** By step. */
  readonly checkpoints: readonly CheckpointRecord[];
  readonly directories: readonly string[];
}

async function lineOf(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  from: {
    readonly attempts: readonly AttemptRecord[];
    readonly last: AttemptRecord | undefined;
    readonly upTo: number;
  },
): Promise<Line> {
  const { ledger } = dependencies;
  const { store } = dependencies.placeOf(context.profile);
  const due = new Set(context.phase.evaluate ? dueSteps(context.phase) : dueSteps(context.phase).slice(-1));
  const chosen = new Map<number, CheckpointRecord>();
  const directories: string[] = [];
  let { upTo } = from;
  for (let at = from.last; at !== undefined; at = predecessor(from.attempts, at)) {
    const is = at.endedAt === null ? 'written' : directoryAfter(at.evidence?.ranks ?? []);
    if (at.directory !== null) directories.push(at.directory);
    for (const checkpoint of at.directory === null ? [] : await store.checkpoints(at.directory, is)) {
      const { step, level } = checkpoint;
      if (level === 'torn' || step > upTo || !due.has(step) || chosen.has(step)) continue;
      const { id } = await recordCheckpoint(dependencies, context, { attempt: at.number, checkpoint });
      const record = await ledger.checkpoint(id);
      if (record) chosen.set(step, record);
    }
    upTo = Math.min(upTo, resumeOf(at)?.step ?? 0);
  }
  return { checkpoints: [...chosen.values()].sort((one, other) => one.step - other.step), directories };
}

/** Attempts of this run, and of earlier runs of this workflow id whose phase is the same work. */
async function attemptsOfWork({ ledger }: ActivityDependencies, context: PhaseContext): Promise<AttemptRecord[]> {
  const { pipelineId: workflowId, phase } = context;
  const attempts = await ledger.attemptsOf({ workflowId, phase: phase.name, purpose: 'train' });
  const { digest } = identityOfPhase(context);
  const same = await ledger.phasesOfWork({ workflowId, phase: phase.name, identity: digest });
  const runs = new Set([context.runId, ...same.map(({ runId }) => runId)]);
  const anew = await Promise.all([...runs].map((runId) => begunAnewAfter(ledger, { runId, phase: phase.name })));
  return attempts.filter(({ runId, number }) => runs.has(runId) && number > Math.max(...anew));
}

function idOf(context: PhaseOfCheckpoint, attempt: number, step: number): string {
  return checkpointId({ workflowId: context.pipelineId, phase: context.phase.name, attempt, step });
}
