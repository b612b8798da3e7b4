/**
 * Results of another harness, into the ledger exactly once: outcomes per problem as an evaluation, a mean as a score from outside.
 *
 * Covers what they are kept under, and a benchmark of the recipe that they count on. Does not cover the harness's files
 * (workers/eval-files/) or what a score from outside is (scores.ts).
 */
import type { OutsideBenchmark } from '../configs/schema.ts';
import type { ImportedOutcomes, ImportedResult } from '../configs/schema-import.ts';
import { TemperError } from '../decisions/errors.ts';
import type { Evaluation, EvaluationKey } from '../decisions/evaluation.ts';
import { percent } from '../decisions/gate-sentences.ts';
import type { ToldScore } from '../decisions/outside-score.ts';
import { scoreEntry } from '../decisions/score-entry.ts';
import { minuteOf } from '../decisions/utc-minute.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type {
  ImportedEvaluation,
  ImportedEvaluations,
  ImportEvalQuestion,
  RecordedScore,
} from '../workflows/contract-questions.ts';
import { mustBeOneTask } from './harness-runs.ts';
import { importDecisionKey, importId } from './import-id.ts';
import { claimImported } from './imported-benchmarks.ts';
import { findCheckpoint } from './named-checkpoint.ts';
import { shownScores } from './shown-scores.ts';
import { claimOutside, outsideBenchmark, recordTold, type ScoreDependencies } from './scores.ts';

interface Import {
  readonly checkpoint: CheckpointRecord;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Throws `invalid-input` and `not-found` before anything is written. */
export async function importEvaluations(
  dependencies: ScoreDependencies,
  { checkpoint: named, results, benchmark: name, pipeline, by }: ImportEvalQuestion,
): Promise<ImportedEvaluations> {
  const { ledger } = dependencies;
  const { checkpoint } = await findCheckpoint(ledger, named);
  const of = { checkpoint, by, at: dependencies.now().toISOString() };
  const target =
    name === undefined ? null : await outsideBenchmark(ledger, { name, checkpoint, pipeline, corrected: null });
  if (name !== undefined && target !== null) {
    const told = results.map((result) => toldBy(result, checkpoint, { name, ...target }));
    mustBeOneTask(await ledger.outsideScoresOf([checkpoint.id]), told);
    await claimOutside(ledger, { name, countsOn: target, at: of.at });
  }
  const evaluations: ImportedEvaluation[] = [];
  const scores: ScoredImport[] = [];
  for (const result of results) {
    const { found } = result;
    if (found.kind === 'outcomes')
      evaluations.push(await recordOutcomes(dependencies, of, { ...result, outcomes: found }));
    if (name !== undefined && target !== null)
      scores.push(await record(dependencies, of, toldBy(result, checkpoint, { name, ...target })));
    else if (found.kind === 'mean') scores.push(await recordMean(dependencies, of, result));
  }
  const changed = [...evaluations, ...scores.map(({ told }) => told)].map(({ benchmark, version }) => ({
    checkpoint: checkpoint.id,
    ...{ benchmark, version },
  }));
  const shows = await shownScores(dependencies, { checkpoints: [checkpoint], changed });
  const recorded = scores.map((one) => one.recorded);
  return { answer: 'import-eval', checkpoint: checkpoint.id, evaluations, scores: recorded, shows };
}

interface ScoredImport {
  readonly told: ToldScore;
  readonly recorded: RecordedScore;
}

/** The first record of an evaluation stays. Who imported what is written down first: an evaluation that nobody can trace is worth nothing. */
async function recordOutcomes(
  { ledger }: ScoreDependencies,
  { checkpoint, by, at }: Import,
  { outcomes, ...result }: ImportedResult & { readonly outcomes: ImportedOutcomes },
): Promise<ImportedEvaluation> {
  const { name, version, differs } = await claimImported(ledger, result, at);
  const benchmark = { checkpoint: checkpoint.id, benchmark: name, version };
  const key = await freshKey(ledger, benchmark, result.digest);
  const id = importId(key);
  const evaluation = evaluationOf(key, outcomes);
  const problems = evaluation.problems.length;
  const mean = evaluation.problems.filter(({ correct }) => correct > 0).length / problems;
  const scored = `${percent(mean)} of ${String(problems)} problems, ${result.metric} of ${result.task} by ${result.tool}, from ${result.source}`;
  const { runId, phase } = checkpoint;
  const said = await ledger.recordDecision({
    ...{ runId, phase, attempt: null, question: 'import', answer: key, at },
    key: importDecisionKey(key),
    evidence: { sentence: `${by} imported ${name} of ${key.checkpoint}: ${scored}.`, by, digest: result.digest },
  });
  const first = said.evidence as { readonly by: string; readonly digest: string };
  if (first.digest !== result.digest) {
    const message = `${result.source}: its digest begins as that of another file that was imported; add an empty line to it and try again`;
    throw new TemperError('ledger-conflict', message);
  }
  const { recorded } = await ledger.recordEvaluation({ evaluation, runId: '', jobName: result.source, at });
  const where = `${name}, version ${String(version)}`;
  const sentence = recorded
    ? `Imported as ${id}: ${where}, ${scored}.${differs === '' ? '' : ` It is compared with nothing of version ${String(version - 1)}: ${differs}.`}`
    : `Nothing new: ${result.source} was imported as ${id} (${where}) by ${first.by} at ${minuteOf(said.at)} UTC.`;
  return { id, benchmark: name, version, problems, mean, recorded, sentence };
}

/** The same file has the same seed: it is imported once. Where that was withdrawn, it has another: it is told again. */
async function freshKey(
  ledger: ScoreDependencies['ledger'],
  benchmark: Omit<EvaluationKey, 'seed'>,
  digest: string,
): Promise<EvaluationKey> {
  for (let from = 0; from + seedDigits <= digest.length; from += seedDigits) {
    const key = { ...benchmark, seed: Number.parseInt(digest.slice(from, from + seedDigits), 16) };
    if ((await ledger.withdrawal(importId(key))) === null) return key;
  }
  const message = `it was imported and withdrawn too often (${String(Math.floor(digest.length / seedDigits))} times); add an empty line to the file and try again`;
  throw new TemperError('ledger-conflict', message);
}

const seedDigits = 7;

function evaluationOf(key: EvaluationKey, { problems, right, tokens, seconds }: ImportedOutcomes): Evaluation {
  return {
    ...key,
    problems: problems.map((problem, index) => ({
      problem,
      samples: 1,
      correct: Number(right[index]),
      tokens: tokens?.[index] ?? 0,
      truncated: 0,
      seconds: seconds?.[index] ?? 0,
      answers: [null],
      correctAnswers: [right[index] === '1'],
    })),
  };
}

async function recordMean(dependencies: ScoreDependencies, of: Import, result: ImportedResult): Promise<ScoredImport> {
  const { name, version, differs } = await claimImported(dependencies.ledger, result, of.at);
  const benchmark = { outside: true as const, version, problems: undefined };
  const scored = await record(dependencies, of, toldBy(result, of.checkpoint, { name, benchmark }));
  const { told, recorded } = scored;
  if (differs === '' || !recorded.recorded) return scored;
  const sentence = `${recorded.sentence} It is compared with nothing before: ${differs}.`;
  return { told, recorded: { ...recorded, sentence } };
}

async function record({ ledger }: ScoreDependencies, { by, at }: Import, told: ToldScore): Promise<ScoredImport> {
  return { told, recorded: await recordTold(ledger, told, { by, note: '', corrected: null, at }) };
}

function toldBy(
  { tool, task, metric, source, digest, run, found }: ImportedResult,
  { id }: CheckpointRecord,
  on: { readonly name: string; readonly benchmark: OutsideBenchmark },
): ToldScore {
  const from = `${tool} ${task} ${source} (${metric}, ${digest.slice(0, 12)})`.slice(-200);
  const of = { tool, task, metric, digest: run.digest };
  const score = { checkpoint: id, benchmark: on.name, source: from };
  if (found.kind === 'outcomes') {
    const right = found.right.replaceAll('0', '').length;
    const entry = scoreEntry({ ...score, score: `${String(right)}/${String(found.right.length)}` }, on.benchmark);
    return { ...entry, run: { ...of, isWhole: run.parts === 1 } };
  }
  const { runs, problems, deviation, standardError } = found;
  // A bare 1 may mean 1 %.
  const share = (value: number) => (value === 1 ? '100%' : value);
  const entry = scoreEntry(
    {
      ...{ ...score, runs, problems, score: share(found.score) },
      ...(deviation === undefined ? {} : { deviation: share(deviation) }),
      ...(deviation !== undefined || standardError === undefined ? {} : { standardError: share(standardError) }),
    },
    on.benchmark,
  );
  return { ...entry, run: { ...of, isWhole: true } };
}
