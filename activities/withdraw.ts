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
import type { Withdrawn } from '../store/ledger/withdrawals.ts';
import { importDecisionKey, importId } from './import-id.ts';
import { phasesThatLookAt, type ScoreDependencies } from './scores.ts';
import { shownScores } from './shown-scores.ts';

/** One thing that counts: an evaluation, or a score. */
interface Found {
  readonly id: string;
  readonly of: ScoreKey;
  readonly evaluation: EvaluationKey | null;
}

/**
 * Whoever looks at it is told again each time it is asked for: a try before may have ended when only the ledger knew. Throws `not-found`, and
 * `ledger-conflict` where another score stands for this one.
 */
export async function withdrawEvidence(
  { ledger, now }: ScoreDependencies,
  { id, by, note }: WithdrawQuestion,
): Promise<WithdrawnEvidence> {
  const found = await foundBy(ledger, id);
  const checkpoint = await ledger.checkpoint(found.of.checkpoint);
  if (checkpoint === null)
    throw new TemperError('not-found', `its checkpoint ${found.of.checkpoint} is not in the ledger`);
  const at = now().toISOString();
  const takeBack = (one: Found): Promise<Done> => {
    const { benchmark, version } = one.of;
    const said = { id: one.id, checkpoint: checkpoint.id, benchmark, version, by, note, at };
    return withdrawOne(ledger, said, { ...one, runId: checkpoint.runId, phase: checkpoint.phase });
  };
  const asked = await takeBack(found);
  if (asked.kind === 'corrected') throw new TemperError('ledger-conflict', asked.text);
  const done = [asked];
  for (const one of await scoresOfSameFile(ledger, asked)) done.push(await takeBack(one));
  const gone = done.filter(({ kind }) => kind !== 'corrected').map(({ one }) => one);
  const told = done.flatMap((one) => {
    if (one.kind === 'corrected') return [`Left as it is: ${one.text}, where it is wrong too.`];
    return one === asked || one.kind === 'withdrawn' ? [one.text] : [];
  });
  const benchmarks = gone.flatMap(({ of, evaluation }) => (evaluation === null ? [of.benchmark] : []));
  return {
    answer: 'withdraw',
    withdrawn: done.filter(({ kind }) => kind === 'withdrawn').map(({ one }) => one.id),
    sentence: [...told, ...(await verdictsOn(ledger, checkpoint, gone))].join('\n'),
    wakes: benchmarks.length === 0 ? [] : await phasesThatLookAt(ledger, benchmarks),
    shows: await shownScores({ ledger, now }, { checkpoints: [checkpoint], changed: gone.map(({ of }) => of) }),
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

/** Those that no longer count too; not what was brought again after it was withdrawn. */
async function scoresOfSameFile(ledger: Ledger, { one: { evaluation }, before }: Done): Promise<readonly Found[]> {
  if (evaluation === null) return [];
  const digest = await fileDigest(ledger, evaluation);
  if (digest === null) return [];
  const isOfFile = ({ source, run, at }: OutsideScore) =>
    run !== undefined && source.endsWith(`${digest.slice(0, 12)})`) && (before === undefined || at <= before);
  const scores = await ledger.outsideScoresOf([evaluation.checkpoint]);
  return scores.filter(isOfFile).map((score) => ({ id: score.id, of: score, evaluation: null }));
}

async function fileDigest(ledger: Ledger, evaluation: EvaluationKey): Promise<string | null> {
  const imports = await ledger.decisionsThatName(evaluation.checkpoint, 'import');
  const own = imports.find(({ key }) => key === importDecisionKey(evaluation));
  return (own?.evidence as { readonly digest?: string } | undefined)?.digest ?? null;
}

interface Done {
  readonly one: Found;
  readonly kind: Withdrawn['kind'];
  readonly text: string;
  /** When, ISO 8601, where it was withdrawn before. */
  readonly before?: string;
}

/** `explain` is told also of what was withdrawn before: a try may have ended between the two. */
async function withdrawOne(
  ledger: Ledger,
  said: Withdrawal,
  { runId, phase, ...one }: Found & Pick<CheckpointRecord, 'runId' | 'phase'>,
): Promise<Done> {
  const what = one.evaluation === null ? 'score' : 'import';
  const done = await ledger.withdraw(said, one.evaluation);
  if (done.kind === 'corrected') {
    const text = `score "${said.id}" was corrected, by "${done.by}": withdraw that one`;
    return { one, kind: done.kind, text };
  }
  const { kind, withdrawal } = done;
  await ledger.recordDecision({
    ...{ key: `withdraw/${said.id}`, runId, phase, attempt: null, question: 'withdraw', at: withdrawal.at },
    answer: { id: said.id, what },
    evidence: { sentence: `Withdrawn: ${sentenceOfWithdrawal(withdrawal)}.`, by: withdrawal.by },
  });
  const name = `${withdrawal.benchmark}, version ${String(withdrawal.version)}, of ${withdrawal.checkpoint}`;
  if (kind === 'withdrawn') return { one, kind, text: `Withdrawn ${said.id}: the ${what} ${name} counts no longer.` };
  const when = `${minuteOf(withdrawal.at)} UTC`;
  const text = `Nothing new: ${said.id}, ${name}, was withdrawn by ${withdrawal.by} at ${when}.`;
  return { one, kind, text, before: withdrawal.at };
}

/** A gate that waits judges again; one that has decided does not. */
async function verdictsOn(
  ledger: Ledger,
  { runId }: CheckpointRecord,
  gone: readonly Found[],
): Promise<readonly string[]> {
  const ids = new Set(gone.map(({ id }) => id));
  const phases = (await ledger.verdictsOf({ runId })).flatMap(({ phase, evidence }) => {
    const { scores = [] } = (evidence ?? {}) as { readonly scores?: readonly string[] };
    return scores.some((id) => ids.has(id)) ? [phase] : [];
  });
  if (phases.length === 0) return [];
  const names = [...new Set(phases)].join(', ');
  return [`Verdicts of ${names} counted with it, and stay as they were decided: temper explain shows them.`];
}
