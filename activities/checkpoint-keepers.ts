/**
 * What keeps a checkpoint on the store: its uses in the ledger, steps that are due, and living attempts that read it.
 *
 * Does not cover which of these weighs what (decisions/prune.ts).
 */
import type { Phase } from '../configs/schema.ts';
import { dueSteps } from '../decisions/due-steps.ts';
import type { PruneCandidate } from '../decisions/prune.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import { begunAnewAfter } from './changes-of-phase.ts';
import type { LedgerAndStore } from './trusted-checkpoints.ts';

export type Keepers = Pick<
  PruneCandidate,
  'attemptLives' | 'due' | 'evaluated' | 'pinned' | 'promoted' | 'isParent' | 'readBy' | 'work' | 'leftBehind'
>;

/** Of one phase: answers for one checkpoint what keeps it. */
export async function keepersOf(
  { ledger }: Pick<LedgerAndStore, 'ledger'>,
  attempts: readonly AttemptRecord[],
  checkpoints: readonly { readonly id: string }[],
): Promise<(checkpoint: Pick<PruneCandidate, 'id' | 'path' | 'attempt' | 'step'>) => Keepers> {
  const uses = await ledger.usesOf(checkpoints.map(({ id }) => id));
  const readers = readersOf(await ledger.liveAttempts());
  const phases = await phaseByRun({ ledger }, attempts);
  const workOf = await worksOf({ ledger }, attempts);
  const byNumber = new Map(attempts.map((attempt) => [attempt.number, attempt]));
  return ({ id, path, attempt: number, step }) => {
    const attempt = byNumber.get(number);
    const phase = attempt && phases.get(attempt.runId);
    const steps = phase && dueSteps(asAsked(phase, attempt));
    return {
      attemptLives: attempt?.endedAt === null,
      // Where nobody knows the recipe any more, every step may be due.
      due: steps === undefined || steps.includes(step),
      evaluated: uses.evaluated.has(id),
      pinned: uses.pinned.has(id),
      promoted: uses.promoted.has(id),
      isParent: uses.parents.has(id),
      readBy: readers.get(path) ?? null,
      ...(attempt === undefined ? { work: '', leftBehind: false } : workOf(attempt)),
    };
  };
}

/** With the parameters that the attempt was asked for: a person may have changed them when they had the phase begin anew. */
function asAsked(phase: Phase, { request }: AttemptRecord): Phase {
  const { params } = (request ?? {}) as { params?: Phase['params'] };
  return params === undefined ? phase : ({ ...phase, params } as Phase);
}

async function phaseByRun(
  { ledger }: Pick<LedgerAndStore, 'ledger'>,
  attempts: readonly AttemptRecord[],
): Promise<ReadonlyMap<string, Phase>> {
  const [first] = attempts;
  if (first === undefined) return new Map();
  const runs = await ledger.pipelines({ workflowId: first.workflowId, limit: 1000 });
  return new Map(
    runs.flatMap(({ runId, resolved }) => {
      const { recipe } = (resolved ?? {}) as { recipe?: { phases?: readonly Phase[] } };
      const phase = recipe?.phases?.find(({ name }) => name === first.phase);
      return phase === undefined ? [] : [[runId, phase]];
    }),
  );
}

/** What each attempt trained: a recipe that was changed under the same id is other work. */
async function worksOf(
  { ledger }: Pick<LedgerAndStore, 'ledger'>,
  attempts: readonly AttemptRecord[],
): Promise<(attempt: AttemptRecord) => Pick<Keepers, 'work' | 'leftBehind'>> {
  const phaseOf = new Map(attempts.map(({ runId, phase }) => [runId, phase]));
  const works = new Map<string, string>();
  const begunAnew = new Map<string, number>();
  for (const [runId, phase] of phaseOf) {
    const record = (await ledger.phasesOf(runId)).find((one) => one.phase === phase);
    const work = record?.identity ?? runId;
    works.set(runId, work);
    // Attempts are numbered on over the runs of a workflow id.
    begunAnew.set(work, Math.max(begunAnew.get(work) ?? 0, await begunAnewAfter(ledger, { runId, phase })));
  }
  return ({ runId, number }) => {
    const work = works.get(runId) ?? runId;
    return { work, leftBehind: number <= (begunAnew.get(work) ?? 0) };
  };
}

interface RequestedPath {
  readonly path: string;
  readonly base?: string | null;
}

interface RequestedPaths {
  readonly start?: RequestedPath | null;
  readonly resume?: RequestedPath | null;
  readonly evaluations?: readonly { readonly checkpoint: RequestedPath }[];
}

/** Paths that living attempts of any pipeline were told to read, each with the job that reads it. */
function readersOf(live: readonly AttemptRecord[]): ReadonlyMap<string, string> {
  const readers = new Map<string, string>();
  for (const { request, jobName, phase, number } of live) {
    const { start, resume, evaluations = [] } = (request ?? {}) as RequestedPaths;
    const reader = jobName ?? `attempt ${String(number)} of ${phase}`;
    const read: readonly (RequestedPath | null | undefined)[] = [
      start,
      resume,
      ...evaluations.map(({ checkpoint }) => checkpoint),
    ];
    for (const one of read) {
      if (!one) continue;
      readers.set(one.path, reader);
      if (one.base) readers.set(one.base, reader);
    }
  }
  return readers;
}
