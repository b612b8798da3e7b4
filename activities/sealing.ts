/**
 * Seals the checkpoint of a foreign trainer by a job: at 200 GB a worker must not read every byte itself.
 *
 * Asked again, it finds the job that is at work. One that ended without a seal is not tried again by itself: a person who looked asks
 * anew. Does not cover what a seal is (store/seal.ts).
 */
import { activityInfo, Context } from '@temporalio/activity';
import { checkpointShortName } from '../decisions/checkpoint-id.ts';
import { TemperError } from '../decisions/errors.ts';
import { jobName } from '../decisions/job-name.ts';
import { isJobOver, whyEndless } from '../decisions/job-over.ts';
import { reservationKey } from '../decisions/reservation-key.ts';
import type { CheckpointRef, PhaseContext } from '../workflows/contract.ts';
import type { Backend, JobRef, JobStatus } from './backend.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { suspectsOf } from './node-memory.ts';

/** Resolves when the seal is written. Throws `checkpoint-damaged` with what the job said last. */
export async function sealByJob(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  checkpoint: CheckpointRef,
): Promise<void> {
  const { store, backend, profile } = dependencies.placeOf(context.profile);
  for (let number = 1; ; number += 1) {
    const job = await begin(dependencies, context, { checkpoint, number });
    if (job === null) continue;
    const ended = await untilItEnds(backend, job, profile.graceSeconds);
    if ((await store.inspect(checkpoint.path))?.seal) return;
    const said = ended.state === 'ended' ? ended.ranks.flatMap(({ lastLines }) => lastLines).at(-1) : undefined;
    throw new TemperError(
      'checkpoint-damaged',
      `checkpoint ${checkpoint.id} could not be sealed: ${said ?? 'the job that hashes its files said nothing'}`,
    );
  }
}

/** The job that is at work, made or found. Null when the one of this number has ended, or belongs to another run of the pipeline. */
async function begin(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  { checkpoint, number }: { readonly checkpoint: CheckpointRef; readonly number: number },
): Promise<JobRef | null> {
  const { store, backend } = dependencies.placeOf(context.profile);
  const { pipelineId, phase, seed, model } = context;
  const { path, step, format } = checkpoint;
  const name = jobName({ workflowId: pipelineId, phase: `${phase.name}/seal-${checkpoint.id}`, attempt: number });
  const owner = reservationKey({
    ownerRunId: activityInfo().workflowExecution?.runId ?? context.runId,
    purpose: 'seal',
    opened: number,
  });
  const directory = await store.openSealing(path, number, owner).catch((error: unknown) => {
    if (error instanceof TemperError && error.code === 'ledger-conflict') return null;
    throw error;
  });
  if (directory === null) return null;
  await store.writeRequest(directory, {
    contract: 1,
    job: name,
    pipeline: pipelineId,
    phase: phase.name,
    kind: 'seal',
    attempt: number,
    seed,
    model,
    params: { checkpoints: [{ path, step, format }] },
    data: null,
    start: null,
    resume: null,
    changes: [],
    targetStep: 0,
    outputDirectory: directory,
    evaluations: [],
  });
  const labels = {
    pipeline: pipelineId,
    phase: phase.name,
    kind: 'seal',
    attempt: number,
    workflowId: pipelineId,
    checkpoints: [checkpointShortName({ phase: phase.name, step })],
  };
  const job = await backend.submit({
    name,
    directory,
    owner,
    requestPath: store.requestPath(directory),
    slots: 1,
    memoryFactor: 1,
    sharedMemoryFactor: 1,
    avoidNodes: (await suspectsOf(dependencies, backend)).map(({ node }) => node),
    labels,
  });
  return isJobOver(await backend.status(job)) ? null : job;
}

/** A cancelled activity leaves no job behind; one whose node is lost is left, and the next try begins another. */
async function untilItEnds(backend: Backend, job: JobRef, graceSeconds: number): Promise<JobStatus> {
  const { cancellationSignal } = Context.current();
  let status = await backend.status(job);
  while (!isJobOver(status) && whyEndless(status) === null && !cancellationSignal.aborted)
    status = await backend.nextChange(job, status, cancellationSignal);
  if (isJobOver(status)) return status;
  if (!cancellationSignal.aborted) {
    const reason = status.evicted?.as ?? 'node-lost';
    await backend.stop(job, { reason, graceSeconds });
    throw new TemperError(
      'backend-unavailable',
      `job ${job.name} was ended before it was done: ${whyEndless(status) ?? ''}`,
    );
  }
  await backend.stop(job, { reason: 'cancel', graceSeconds });
  return await Context.current().cancelled;
}
