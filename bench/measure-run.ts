/**
 * What the orchestrator cost in a finished run, from what the run left behind: the ledger's times and the jobs' own records.
 *
 * Covers a run of the local backend. Pure, so that it can be tested; reading is orchestration.ts.
 */

/** A job from its start to its end, milliseconds since the epoch. */
export interface JobTime {
  readonly phase: string;
  readonly purpose: 'train' | 'evaluate';
  readonly startedAt: number;
  readonly endedAt: number;
  /** Checkpoints that an evaluation looks at; empty for training. */
  readonly checkpoints: readonly string[];
}

export interface RunTimes {
  readonly beganAt: number;
  readonly endedAt: number;
  /** In the order of the recipe, when each was recorded as ended. */
  readonly phases: readonly { readonly phase: string; readonly endedAt: number }[];
  readonly jobs: readonly JobTime[];
  /** When each checkpoint was sealed, by its path. */
  readonly sealedAt: ReadonlyMap<string, number>;
}

export interface RunMeasures {
  /** Seconds from a phase's end to the start of the next phase's job, one a phase. */
  readonly phaseEndToNextJob: readonly number[];
  /** Seconds from a complete checkpoint to the start of its evaluation, while the phase still trains. */
  readonly checkpointToEvaluation: readonly number[];
  readonly wallSeconds: number;
  /** Seconds in which no job ran. */
  readonly overheadSeconds: number;
}

export function measureRun(run: RunTimes): RunMeasures {
  const training = run.jobs.filter(({ purpose }) => purpose === 'train');
  const phaseEndToNextJob = run.phases.flatMap(({ endedAt }) => {
    const next = training.map(({ startedAt }) => startedAt).filter((startedAt) => startedAt >= endedAt);
    return next.length === 0 ? [] : [(Math.min(...next) - endedAt) / 1000];
  });
  const wall = run.endedAt - run.beganAt;
  return {
    phaseEndToNextJob,
    checkpointToEvaluation: waitsOfCheckpoints(run, training),
    wallSeconds: wall / 1000,
    overheadSeconds: (wall - busyMilliseconds(run.jobs)) / 1000,
  };
}

/** Only checkpoints whose first evaluation began beside the training: later ones were asked for by a gate. */
function waitsOfCheckpoints({ jobs, sealedAt }: RunTimes, training: readonly JobTime[]): number[] {
  const waits: number[] = [];
  for (const [path, at] of sealedAt) {
    const starts = jobs.filter(({ checkpoints }) => checkpoints.includes(path)).map(({ startedAt }) => startedAt);
    const first = Math.min(...starts);
    const trained = training.some(({ startedAt, endedAt }) => startedAt <= at && first <= endedAt);
    if (starts.length > 0 && trained) waits.push((first - at) / 1000);
  }
  return waits;
}

/** Milliseconds in which at least one job ran. */
function busyMilliseconds(jobs: readonly JobTime[]): number {
  let busy = 0;
  let until = -Infinity;
  for (const { startedAt, endedAt } of jobs.toSorted((a, b) => a.startedAt - b.startedAt)) {
    busy += Math.max(0, endedAt - Math.max(startedAt, until));
    until = Math.max(until, endedAt);
  }
  return busy;
}

/** The value below which `share` of the values lie; null without values. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? null;
}
