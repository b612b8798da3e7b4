/**
 * Stops training jobs of a phase that nobody watches any more: its own run was terminated, or was reset to before it began them.
 *
 * Does not cover jobs of other runs of the phase (workers/reaper.ts).
 */
import type { RunStore } from '../store/run-store.ts';
import type { PhaseContext } from '../workflows/contract.ts';
import type { JobSpec } from './backend.ts';
import { cancelAttempt } from './cancelled-attempt.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** Of all attempts that have no end, or of those before one. Resolves when nothing of them runs that can be reached. */
export async function stopLivingJobs(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  before = Infinity,
): Promise<void> {
  const { pipelineId: workflowId, runId, phase } = context;
  const { backend, profile, store } = dependencies.placeOf(context.profile);
  const attempts = await dependencies.ledger.attemptsOf({ workflowId, runId, phase: phase.name });
  for (const { number, endedAt, jobName: name, directory } of attempts) {
    if (endedAt !== null || number >= before || name === null || directory === null) continue;
    const job = await backend.find({ name, directory, ...(await ownerIn(store, { directory })) });
    if (job === null) continue;
    await backend.stop(job, { reason: 'cancel', graceSeconds: profile.graceSeconds });
    await cancelAttempt(dependencies, { workflowId, phase: phase.name, purpose: 'train', number });
  }
}

export async function ownerIn(
  store: RunStore,
  { directory }: { readonly directory: string },
): Promise<Pick<JobSpec, 'owner'>> {
  const owner = await store.ownerOf(directory);
  return owner === null ? {} : { owner };
}
