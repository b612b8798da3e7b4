/**
 * The checkpoints that lie on the store of some attempts of a phase, with what incidents and roll-backs say against them.
 *
 * Does not cover choosing one to go on from (decisions/resume-point.ts) or those that may go (prune.ts).
 */
import { type CollapseDecision, type HoldOverRecord, wavesThrough } from '../decisions/after-collapse.ts';
import { rollBacksOf } from '../decisions/attempt-changes.ts';
import { checkpointId } from '../decisions/checkpoint-id.ts';
import { directoryAfter } from '../decisions/job-over.ts';
import type { ResumeCandidate, RollBack } from '../decisions/resume-point.ts';
import { retryPolicies } from '../decisions/retry-policies.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { RunStore } from '../store/run-store.ts';
import { decidedAfterAttempts } from './changes-of-phase.ts';

export interface LedgerAndStore {
  readonly ledger: Ledger;
  readonly store: RunStore;
}

interface Distrust {
  /** Attempts none of whose checkpoints are trusted. */
  readonly untrusted: ReadonlySet<number>;
  /** Checkpoints that an attempt could not go on from, by path: what was wrong with them. */
  readonly damaged: ReadonlyMap<string, string>;
  readonly rollBacks: readonly RollBack[];
}

export interface FoundCheckpoints {
  /** Torn ones included; one that proved damaged counts as torn. */
  readonly checkpoints: readonly ResumeCandidate[];
  readonly rollBacks: readonly RollBack[];
}

/** All there are but those of attempts that are not trusted. */
export async function trustedCheckpoints(
  places: LedgerAndStore,
  attempts: readonly AttemptRecord[],
): Promise<FoundCheckpoints> {
  const distrust = await distrustOf(places.ledger, attempts);
  const trusted = attempts.filter(({ number }) => !distrust.untrusted.has(number));
  return { checkpoints: await onStore(places.store, trusted, distrust), rollBacks: distrust.rollBacks };
}

/** All there are, with the numbers of the attempts that are not trusted. */
export async function allCheckpoints(
  places: LedgerAndStore,
  attempts: readonly AttemptRecord[],
): Promise<FoundCheckpoints & Pick<Distrust, 'untrusted'>> {
  const { ledger, store } = places;
  const distrust = await distrustOf(ledger, attempts);
  const { rollBacks, untrusted } = distrust;
  return { checkpoints: await onStore(store, attempts, distrust), rollBacks, untrusted };
}

async function onStore(
  store: RunStore,
  attempts: readonly AttemptRecord[],
  { damaged }: Distrust,
): Promise<ResumeCandidate[]> {
  const found = await Promise.all(
    attempts.map(async ({ number, directory, workflowId, phase, endedAt, evidence }) => {
      const is = endedAt === null ? 'written' : directoryAfter(evidence?.ranks ?? []);
      const checkpoints = directory === null ? [] : await store.checkpoints(directory, is);
      return checkpoints.map((checkpoint): ResumeCandidate => {
        const { path, step, resumable, finite, seal } = checkpoint;
        const damage = damaged.get(path);
        return {
          id: checkpointId({ workflowId, phase, attempt: number, step }),
          attempt: number,
          path,
          step,
          resumable,
          finite,
          level: damage !== undefined ? 'torn' : seal ? 'sealed' : checkpoint.level,
          damage: damage ?? checkpoint.damage,
          digest: seal?.digest ?? null,
        };
      });
    }),
  );
  return found.flat();
}

/** What the incidents and roll-backs of all runs of these attempts say against their checkpoints. */
async function distrustOf(ledger: Ledger, attempts: readonly AttemptRecord[]): Promise<Distrust> {
  const runs = [...new Map(attempts.map(({ runId, phase }) => [runId, { runId, phase }])).values()];
  const incidents = (await Promise.all(runs.map((of) => ledger.incidentsOf({ ...of, purpose: 'train' })))).flat();
  const decided = (await Promise.all(runs.map((of) => decidedAfterAttempts(ledger, of)))).flat();
  const untrusted = incidents.filter((one) => retryPolicies[one.class].distrustsCheckpoints === true);
  return {
    untrusted: new Set(untrusted.map(({ attempt }) => attempt)),
    damaged: new Map(
      incidents.flatMap(({ class: name, because }) =>
        name === 'resume-damaged' && because.rule === 'checkpoint-damaged' ? [[because.path, because.why]] : [],
      ),
    ),
    rollBacks: [...rollBacksOf(decided), ...(await Promise.all(runs.map((of) => collapsesOf(ledger, of)))).flat()],
  };
}

/** What a run wrote after it had collapsed is nowhere to go on from, unless a person waved it through. */
async function collapsesOf(
  ledger: Ledger,
  of: { readonly runId: string; readonly phase: string },
): Promise<RollBack[]> {
  const decisions = await ledger.decisionsOf(of);
  return decisions.flatMap(({ question, answer, attempt, at }) => {
    if (question !== 'collapse' || attempt === null) return [];
    const { onCollapse, goBackTo } = answer as CollapseDecision;
    const isReleased = decisions.some(
      (one) => one.question === 'release' && one.at >= at && wavesThrough(one as unknown as HoldOverRecord),
    );
    if (onCollapse === 'tell' || (onCollapse === 'hold' && isReleased)) return [];
    return [{ before: goBackTo.step + 1, upToAttempt: attempt }];
  });
}
