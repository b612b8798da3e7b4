/** A phase of a pipeline as it is now. Does not cover asking for it (read-phases.ts): who only shows it loads no client. */
import type { JobHeartbeat, PhaseReport } from '../../workflows/contract.ts';

export interface PhaseView extends PhaseReport {
  /** Null when no job of the phase is watched now. */
  readonly job: JobHeartbeat | null;
}

/** What its job does, or where it stands before and after: `training`, or `queued`, `starting`, `stopping`; empty without one. */
export function doingOf({ job }: PhaseView): string {
  if (job === null) return '';
  return job.state === 'running' ? job.doing : job.state;
}
