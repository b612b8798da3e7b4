/**
 * A score from outside as a person tells it → what is kept, or why not.
 *
 * Covers what goes together, and how many problems it is over. Does not cover whether there is such a checkpoint (activities/scores.ts).
 */
import type { OutsideBenchmark } from '../configs/schema.ts';
import type { ScoreInput } from '../configs/schema-score.ts';
import { TemperError } from './errors.ts';
import { percent } from './gate-sentences.ts';
import type { ToldScore } from './outside-score.ts';
import { shareOf, type WrittenShare } from './share-text.ts';

/** Throws `invalid-input` with the field. */
export function scoreEntry(input: ScoreInput, benchmark: OutsideBenchmark): ToldScore {
  const { score, runs, deviation, standardError, place, runtime, corrects, note } = input;
  if (score === undefined && place === undefined && runtime === undefined)
    throw refused('score', 'is missing: name a score, a place or a runtime');
  if (corrects !== undefined && (note ?? '') === '')
    throw refused('note', 'is missing: say why the score is corrected');
  for (const [field, value] of Object.entries({ runs, deviation, standardError })) {
    if (score === undefined && value !== undefined) throw refused(field, 'goes with a score, and there is none');
  }
  if (deviation !== undefined && standardError !== undefined)
    throw refused('standardError', 'and deviation are there: name one of them');
  if (deviation !== undefined && (runs ?? 1) < 2)
    throw refused('deviation', 'is that of the score from run to run: name runs, 2 at least');
  const written = score === undefined ? null : shareOf('score', score);
  return {
    checkpoint: input.checkpoint,
    benchmark: input.benchmark,
    version: benchmark.version,
    score: written?.share ?? null,
    problems: written === null ? null : problemsOf(input, benchmark, written),
    runs: runs ?? 1,
    deviation: deviation === undefined ? null : shareOf('deviation', deviation).share,
    standardError: standardError === undefined ? null : shareOf('standardError', standardError).share,
    place: place ?? null,
    runtime: runtime ?? null,
    source: input.source ?? '',
  };
}

function problemsOf(input: ScoreInput, benchmark: OutsideBenchmark, { of }: WrittenShare): number {
  const told = [
    { field: 'problems', count: input.problems },
    { field: 'score', count: of ?? undefined },
  ].filter(({ count }) => count !== undefined);
  const problems = benchmark.problems ?? told[0]?.count;
  if (problems === undefined)
    throw refused('problems', `is missing: "${input.benchmark}" does not say how many problems it has`);
  const other = told.find(({ count }) => count !== problems);
  if (other === undefined) return problems;
  const whose = benchmark.problems === undefined ? '"problems"' : `the recipe's "${input.benchmark}"`;
  throw refused(other.field, `is over ${String(other.count)} problems, and ${whose} has ${String(problems)}`);
}

function refused(field: string, why: string): TemperError {
  return new TemperError('invalid-input', `${field}: ${why}`);
}

/** `public 80.0 % of 50 problems (2 runs), place 3, 253 minutes`. */
export function sentenceOfScore(told: ToldScore): string {
  const { benchmark, score, problems, runs, place, runtime, source } = told;
  const parts = [
    ...(score === null
      ? []
      : [`${percent(score)} of ${String(problems)} problems${runs > 1 ? ` (${String(runs)} runs)` : ''}`]),
    ...(place === null ? [] : [`place ${String(place)}`]),
    ...(runtime === null
      ? []
      : [typeof runtime === 'number' ? `${String(runtime)} minutes` : `runtime limit ${runtime}`]),
  ];
  return `${benchmark} ${parts.join(', ')}${source === '' ? '' : `, from ${source}`}`;
}

/** What two people who tell the same tell; the note and who says so are no part of it. */
export function textOfScore(told: ToldScore, corrects: string | null): string {
  const { checkpoint, benchmark, version, score, problems, runs, deviation, standardError, place, runtime, source } =
    told;
  return JSON.stringify([
    ...[
      checkpoint,
      benchmark,
      version,
      score,
      problems,
      runs,
      deviation,
      standardError,
      place,
      runtime,
      source,
      corrects,
    ],
  ]);
}
