/**
 * The end of a phase: its checkpoint promoted, or the work of another run reused.
 *
 * Covers seals, pins and the phase's row. Does not cover which checkpoint (gate.ts).
 */
import { TemperError } from '../decisions/errors.ts';
import { afterHandPromotion } from '../decisions/hand-promotion.ts';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';
import type { CheckpointRef, PhaseContext, PhaseEnd } from '../workflows/contract.ts';
import { cancelAttempt } from './cancelled-attempt.ts';
import { refOf } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { findFinishedWork, type FinishedCheckpoint } from './finished-work.ts';
import { handPromotionOf } from './hand-promotion.ts';
import { identityOfPhase, recordPhase } from './phase-record.ts';
import { sealByJob } from './sealing.ts';
import { type EndOfHold, holdRuleOfOlderRuns, untilWhen } from '../decisions/hold.ts';
import { minuteOf } from '../decisions/utc-minute.ts';

interface Promotion {
  readonly context: PhaseContext;
  readonly checkpoint: CheckpointRef;
  readonly because: string;
  readonly score: number | null;
}

/** Finished work of the same identity, whose checkpoint is still sealed. */
export interface FinishedWork {
  readonly outcome: PhaseEnd;
  readonly rows: readonly LeaderboardRow[];
}

export interface PromotionActivities {
  findFinishedPhase(context: PhaseContext): Promise<FinishedWork | null>;
  /** Seals, pins and records it. Throws `checkpoint-damaged` when its files are not what was sealed. */
  promote(
    input: Promotion & {
      /** Id of the message by which a person promoted it; absent where a gate did, and in runs that began before it was told. */
      readonly steering?: string;
    },
  ): Promise<CheckpointRef>;
  /** The phase ends without a new checkpoint. */
  closePhase(
    input: Pick<Promotion, 'context' | 'because'> & {
      readonly state: 'rejected' | 'skipped' | 'failed' | 'cancelled' | 'held';
      readonly checkpoint?: CheckpointRef;
      /** Of a hold: when it is over (ISO 8601), and what follows then. Absent from older runs. */
      readonly until?: string;
      readonly then?: EndOfHold;
    },
  ): Promise<void>;
  /** A held phase goes on without a release. */
  goOn(input: Pick<Promotion, 'context' | 'because'>): Promise<void>;
}

export function promotionActivities(dependencies: ActivityDependencies): PromotionActivities {
  const { ledger } = dependencies;
  return {
    async findFinishedPhase(context) {
      const { store } = dependencies.placeOf(context.profile);
      const { sealed } = await findFinishedWork(
        { ledger, store },
        { identity: identityOfPhase(context).digest, hold: context.hold ?? holdRuleOfOlderRuns },
      );
      return sealed && (await reused(dependencies, context, sealed));
    },
    async promote({ context, checkpoint, because, score, steering }) {
      const { store } = dependencies.placeOf(context.profile);
      const found = await store.inspect(checkpoint.path);
      const isForeign = context.phase.kind === 'command' && found?.level === 'complete' && found.seal === null;
      if (isForeign) await sealByJob(dependencies, context, checkpoint);
      const seal = (isForeign ? await store.inspect(checkpoint.path) : found)?.seal ?? null;
      if (seal === null)
        throw new TemperError(
          'checkpoint-damaged',
          `checkpoint ${checkpoint.id} cannot be promoted: it has no seal that agrees with its files (${checkpoint.path})`,
        );
      const sealed = await ledger.sealCheckpoint({ id: checkpoint.id, digest: seal.digest, weights: seal.weights });
      await ledger.pinCheckpoint(checkpoint.id);
      await recordPhase(dependencies, context, {
        state: 'completed',
        promoted: checkpoint.id,
        because: { sentence: because, score, ...(steering !== undefined && { steering }) },
      });
      await closeAttempts(dependencies, context);
      return refOf(sealed);
    },
    async closePhase({ context, state, because, checkpoint, until, then }) {
      if (state !== 'held') await closeAttempts(dependencies, context);
      await recordPhase(dependencies, context, {
        state,
        because: { sentence: until && then ? `${because} (held ${untilWhen({ until, then })})` : because, score: null },
        ...(checkpoint ? { promoted: checkpoint.id } : {}),
      });
    },
    async goOn({ context, because }) {
      await recordPhase(dependencies, context, { state: 'running', because: { sentence: because, score: null } });
    },
  };
}

/** Of a phase that is over nothing runs that anybody waits for: an attempt whose end nobody saw is closed with it. */
async function closeAttempts(
  dependencies: ActivityDependencies,
  { pipelineId: workflowId, runId, phase: { name: phase } }: PhaseContext,
): Promise<void> {
  const of = { workflowId, runId, phase };
  const attempts = [
    ...(await dependencies.ledger.attemptsOf({ ...of, purpose: 'train' })),
    ...(await dependencies.ledger.attemptsOf({ ...of, purpose: 'evaluate' })),
  ];
  for (const { purpose, number } of attempts.filter(({ endedAt }) => endedAt === null))
    await cancelAttempt(dependencies, { workflowId, phase, purpose, number });
}

async function reused(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  found: FinishedCheckpoint,
): Promise<FinishedWork> {
  const { finished, checkpoint } = found;
  const { sentence, score } = finished.because as { sentence: string; score: number | null };
  const because = `Finished work of ${finished.workflowId} (phase ${finished.phase}, ${minuteOf(finished.updatedAt)} UTC). ${sentence}`;
  // Its own from before a reset stays what it is: others find it by that.
  if (finished.runId !== context.runId || finished.phase !== context.phase.name)
    await recordPhase(dependencies, context, {
      state: 'reused',
      promoted: checkpoint.id,
      because: { sentence: because, score },
    });
  const verdicts = await dependencies.ledger.verdictsOf({ runId: finished.runId, phase: finished.phase });
  const { rows } = (verdicts.at(-1)?.evidence ?? { rows: [] }) as { rows: readonly LeaderboardRow[] };
  const byHand = await handPromotionOf(dependencies.ledger, finished);
  const told = rows.map((row) =>
    byHand === null || row.phase !== finished.phase ? row : afterHandPromotion(row, byHand),
  );
  return { outcome: { state: 'reused', checkpoint: refOf(checkpoint), because, score }, rows: told };
}
