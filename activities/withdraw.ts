/**
 * What `temper withdraw` asks for: an imported evaluation, with the scores that its file brought, or a score from outside counts no longer.
 *
 * Covers finding it, who is told, and what stays as it was decided. Does not cover what is put in the place of a score (scores.ts: a
 * correction).
 */
import { TemperError } from '../decisions/errors.ts';
import type { EvaluationKey } from '../decisions/evaluation.ts';
import type { OutsideScore } from '../decisions/outside-score.ts';
import type { ScoreKey } from '../decisions/scores.ts';
import { minuteOf } from '../decisions/utc-minute.ts';
import {
  sentenceOfWithdrawal,
  type Withdrawal,
  type WithdrawnEvidence,
  type WithdrawQuestion,
} from '../decisions/withdrawal.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import { importDecisionKey, importId } from './import-id.ts';
import { phasesThatLookAt, type ScoreDependencies } from './scores.ts';
import { shownScores } from './shown-scores.ts';

/** One thing that counts: an evaluation, or a score. */
interface Found {
  readonly id: string;
  readonly of: ScoreKey;
  readonly evaluation: EvaluationKey | null;
}

/** Throws `not-found`, and `ledger-conflict` where another score stands for this one. */
export async function withdrawEvidence(
  { ledger, now }: ScoreDependencies,
  { id, by, note }: WithdrawQuestion,
): Promise<WithdrawnEvidence> {
  const found = await foundBy(ledger, id);
  const checkpoint = await ledger.checkpoint(found.of.checkpoint);
  if (checkpoint === null)
    throw new TemperError('not-found', `its checkpoint ${found.of.checkpoint} is not in the ledger`);
  const at = now().toISOString();
  const sentences: string[] = [];
  const changed: Found[] = [];
  for (const one of [found, ...(await scoresOfSameFile(ledger, found))]) {
    const { benchmark, version } = one.of;
    const said = { id: one.id, checkpoint: checkpoint.id, benchmark, version, by, note, at };
    const sentence = await withdrawOne(ledger, said, { ...one, runId: checkpoint.runId, phase: checkpoint.phase });
    sentences.push(sentence.text);
    if (sentence.isNew) changed.push(one);
  }
  const verdicts = await verdictsOn(ledger, checkpoint, changed);
  const benchmarks = changed.flatMap(({ of, evaluation }) => (evaluation === null ? [of.benchmark] : []));
  return {
    answer: 'withdraw',
    withdrawn: changed.map((one) => one.id),
    sentence: [...sentences, ...verdicts].join('\n'),
    wakes: benchmarks.length === 0 ? [] : await phasesThatLookAt(ledger, benchmarks),
    shows:
      changed.length === 0
        ? []
        : await shownScores({ ledger, now }, { checkpoints: [checkpoint], changed: changed.map(({ of }) => of) }),
  };
}

async function foundBy(ledger: Ledger, id: string): Promise<Found> {
  const score = await ledger.outsideScore(id);
  if (score !== null) return { id, of: score, evaluation: null };
  const evaluation = (await ledger.importedEvaluations()).find((key) => importId(key) === id);
  if (evaluation !== undefined) return { id, of: evaluation, evaluation };
  const message = `no import and no score from outside "${id}" is in the ledger: temper import-eval, temper record-score and temper explain say the id of each. What jobs of Temper evaluated is never withdrawn`;
  throw new TemperError('not-found', message);
}

/** That still count. */
async function scoresOfSameFile(ledger: Ledger, { evaluation }: Found): Promise<readonly Found[]> {
  if (evaluation === null) return [];
  const digest = await fileDigest(ledger, evaluation);
  if (digest === null) return [];
  const isOfFile = ({ source, run }: OutsideScore) => run !== undefined && source.endsWith(`${digest.slice(0, 12)})`);
  const scores = await ledger.outsideScoresOf([evaluation.checkpoint]);
  return scores
    .filter((one) => isOfFile(one) && one.isWithdrawn !== true && one.isCorrected !== true)
    .map((one) => ({ id: one.id, of: one, evaluation: null }));
}

async function fileDigest(ledger: Ledger, evaluation: EvaluationKey): Promise<string | null> {
  const imports = await ledger.decisionsThatName(evaluation.checkpoint, 'import');
  const own = imports.find(({ key }) => key === importDecisionKey(evaluation));
  return (own?.evidence as { readonly digest?: string } | undefined)?.digest ?? null;
}

/** Who withdrew it is written down first: what nobody can trace must not be gone. */
async function withdrawOne(
  ledger: Ledger,
  said: Withdrawal,
  { evaluation, runId, phase }: Found & Pick<CheckpointRecord, 'runId' | 'phase'>,
): Promise<{ readonly text: string; readonly isNew: boolean }> {
  const what = evaluation === null ? 'score' : 'import';
  const done = await ledger.withdraw(said, evaluation);
  if (done.kind === 'corrected')
    throw new TemperError('ledger-conflict', `score "${said.id}" was corrected, by "${done.by}": withdraw that one`);
  const { withdrawal } = done;
  await ledger.recordDecision({
    ...{ key: `withdraw/${said.id}`, runId, phase, attempt: null, question: 'withdraw', at: withdrawal.at },
    answer: { id: said.id, what },
    evidence: { sentence: `Withdrawn: ${sentenceOfWithdrawal(withdrawal)}.`, by: withdrawal.by },
  });
  const name = `${withdrawal.benchmark}, version ${String(withdrawal.version)}, of ${withdrawal.checkpoint}`;
  if (done.kind === 'withdrawn')
    return { text: `Withdrawn ${said.id}: the ${what} ${name} counts no longer.`, isNew: true };
  const when = `${minuteOf(withdrawal.at)} UTC`;
  return { text: `Nothing new: ${said.id}, ${name}, was withdrawn by ${withdrawal.by} at ${when}.`, isNew: false };
}

/** A gate that waits judges again; one that has decided does not. */
async function verdictsOn(
  ledger: Ledger,
  { runId }: CheckpointRecord,
  changed: readonly Found[],
): Promise<readonly string[]> {
  const ids = new Set(changed.map(({ id }) => id));
  const phases = (await ledger.verdictsOf({ runId })).flatMap(({ phase, evidence }) => {
    const { scores = [] } = (evidence ?? {}) as { readonly scores?: readonly string[] };
    return scores.some((id) => ids.has(id)) ? [phase] : [];
  });
  if (phases.length === 0) return [];
  const names = [...new Set(phases)].join(', ');
  return [`Verdicts of ${names} counted with it, and stay as they were decided: temper explain shows them.`];
}
