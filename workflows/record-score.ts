/**
 * The update `recordScore` of a pipeline: a score from outside goes into the ledger, and the gates that look at it are told.
 *
 * Covers what can be refused before anything is written. Does not cover writing it (activities/scores.ts).
 */
import { workflowInfo } from '@temporalio/workflow';
import { problemList, problemsOf } from '../configs/problems.ts';
import { type ScoreInput, scoreInputSchema } from '../configs/schema-score.ts';
import { TemperError } from '../decisions/errors.ts';
import { isOutside } from '../decisions/outside-benchmark.ts';
import { scoreEntry } from '../decisions/score-entry.ts';
import type { ResolvedPipeline } from './contract.ts';
import { explained } from './explained.ts';
import { activities } from './jobs.ts';
import { refusal } from './refusal.ts';
import { wakeGates } from './wake-gates.ts';

/** Throws what a person sees in the form. */
export function mustBeScore(resolved: ResolvedPipeline | null, input: unknown): void {
  const score = parsed(input);
  if (resolved === null) throw refused('the recipe is not read yet: ask again in a moment');
  const benchmark = resolved.recipe.benchmarks[score.benchmark];
  if (benchmark === undefined || !isOutside(benchmark)) {
    const names = Object.entries(resolved.recipe.benchmarks).flatMap(([name, one]) => (isOutside(one) ? [name] : []));
    throw refused(
      `benchmark: the recipe has none named "${score.benchmark}" that is scored outside; there are: ${names.join(', ') || 'none'}`,
    );
  }
  try {
    scoreEntry(score, benchmark);
  } catch (error) {
    throw error instanceof TemperError ? refused(error.message) : error;
  }
}

export async function recordScore(input: unknown): Promise<string> {
  try {
    const recorded = await activities('record a score from outside').recordScore({
      score: parsed(input),
      pipeline: workflowInfo().workflowId,
    });
    await wakeGates(recorded);
    return recorded.sentence;
  } catch (error) {
    throw explained(error);
  }
}

function parsed(input: unknown): ScoreInput {
  const result = scoreInputSchema.safeParse(input ?? {});
  if (result.success) return result.data;
  throw refused(`the score is not valid:\n${problemList(problemsOf(scoreInputSchema, input, result.error.issues))}`);
}

const refused = (message: string) => refusal({ type: 'InvalidInput', message });
