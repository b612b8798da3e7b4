/**
 * What `temper lineage` asks for: a checkpoint and all that it was made from, back to its base, also across pipelines.
 *
 * Covers reading the ledger and looking whether each still lies there. Does not cover the words (decisions/lineage.ts).
 */
import { TemperError } from '../decisions/errors.ts';
import { trainedOn } from '../decisions/lineage.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { PhaseRecord } from '../store/ledger/phases.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Lineage, LineageQuestion, LineageStep } from '../workflows/contract-questions.ts';
import { partsOf } from './attempt-chain.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { findCheckpoint } from './named-checkpoint.ts';
import { prunedCheckpoint } from './pruned-checkpoint.ts';
import type { LedgerAndStore } from './trusted-checkpoints.ts';

type Known = NonNullable<LineageStep['known']>;

/** About 100 KB at most. */
const mostSteps = 100;

/** Throws `not-found` for a checkpoint that nobody knows, and `ledger-conflict` for one that would be its own parent. */
export async function answerLineage(dependencies: ReadingDependencies, { of }: LineageQuestion): Promise<Lineage> {
  const { ledger } = dependencies;
  const places = { ledger, store: dependencies.placeOf(undefined).store };
  const { checkpoint, by } = await findCheckpoint(ledger, of);
  const chain = await ancestorsOf(ledger, checkpoint);
  const steps: LineageStep[] = [];
  for (const [index, one] of chain.slice(0, mostSteps).entries()) {
    const above = chain[index - 1];
    steps.push(
      typeof one === 'string'
        ? { checkpoint: one, known: null }
        : {
            checkpoint: one.id,
            known: await known(places, one, above === undefined ? by : await usedBy(ledger, one, above)),
          },
    );
  }
  return { answer: 'lineage', checkpoint: checkpoint.id, steps, omitted: chain.length - steps.length };
}

/** The checkpoint first; last, the id of one that was named as a parent and is not in this ledger. */
async function ancestorsOf(
  ledger: Ledger,
  checkpoint: CheckpointRecord,
): Promise<readonly (CheckpointRecord | string)[]> {
  const chain: (CheckpointRecord | string)[] = [checkpoint];
  const seen = new Set([checkpoint.id]);
  for (let { parent } = checkpoint; parent !== null;) {
    if (seen.has(parent))
      throw new TemperError(
        'ledger-conflict',
        `the parents of ${checkpoint.id} lead round to ${parent}: the ledger was changed by hand`,
      );
    seen.add(parent);
    const record = await ledger.checkpoint(parent);
    chain.push(record ?? parent);
    parent = record?.parent ?? null;
  }
  return chain;
}

/** The phase through which the run that made the checkpoint above came to this one; null where it was named in its recipe. */
async function usedBy(
  ledger: Ledger,
  { id }: CheckpointRecord,
  above: CheckpointRecord | string,
): Promise<PhaseRecord | null> {
  if (typeof above === 'string') return null;
  const phases = await ledger.phasesOf(above.runId);
  return phases.find(({ promoted }) => promoted === id) ?? null;
}

async function known(
  { ledger, store }: LedgerAndStore,
  checkpoint: CheckpointRecord,
  used: PhaseRecord | null,
): Promise<Known> {
  const { workflowId, runId, phase, attempt, step, path, format, digest, prunedAt } = checkpoint;
  const record = (await ledger.phasesOf(runId)).find((one) => one.phase === phase) ?? null;
  const run = (await ledger.pipelines({ workflowId, limit: 1000 })).find((one) => one.runId === runId);
  const attempts = await ledger.attemptsOf({ workflowId, phase, purpose: 'train' });
  return {
    pipeline: workflowId,
    recipe: run?.recipe ?? null,
    phase,
    kind: record?.kind ?? null,
    step,
    format,
    path,
    digest,
    lies: await whereItLies(store, checkpoint),
    prunedAt,
    prunedWhy: prunedAt === null ? null : ((await prunedCheckpoint(ledger, checkpoint.id))?.why ?? null),
    parts: partsOf(attempts, { attempt, step }),
    ...trainedOn(record?.identityText ?? null),
    verdict: verdictOn(checkpoint, record && (await judgedIn(ledger, checkpoint, record))),
    reusedBy: used?.state === 'reused' ? { pipeline: used.workflowId, phase: used.phase } : null,
  };
}

async function whereItLies(store: RunStore, { path, digest, prunedAt }: CheckpointRecord): Promise<Known['lies']> {
  if (!store.holds(path)) return 'elsewhere';
  const found = await store.inspect(path);
  if (found === null) return prunedAt === null ? 'gone' : 'pruned';
  if (found.level === 'torn' || (digest !== null && found.seal?.digest !== digest)) return 'damaged';
  return digest === null ? 'complete' : 'sealed';
}

/** The phase whose gate had the last word on it: of a run that was started anew, also where the run before had made it. */
async function judgedIn(ledger: Ledger, { id }: CheckpointRecord, madeBy: PhaseRecord): Promise<PhaseRecord> {
  const same = (await ledger.phasesOfWork(madeBy)).filter(({ state }) => state !== 'reused');
  return same.find(({ promoted }) => promoted === id) ?? same.find(({ promoted }) => promoted !== null) ?? madeBy;
}

/** What the gate of its phase said of it, in a sentence. */
function verdictOn({ id }: CheckpointRecord, record: PhaseRecord | null): string | null {
  if (record === null) return null;
  const { sentence } = (record.because ?? { sentence: '' }) as { sentence: string };
  if (record.promoted === id) return sentence;
  return record.promoted === null
    ? `Not promoted: its phase is ${record.state}.`
    : `Not promoted: its phase went on with ${record.promoted}.`;
}
