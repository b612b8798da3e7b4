/**
 * The update `recordScore` of a pipeline: a score from outside goes into the ledger, and the gates that look at it are told.
 *
 * Covers what can be refused before anything is written. Does not cover writing it (activities/scores.ts).
 */
import { setHandler, workflowInfo } from '@temporalio/workflow';
import { type ScoreInput, scoreInputSchema } from '../configs/schema-score.ts';
import { TemperError } from '../decisions/errors.ts';
import { isOutside } from '../decisions/outside-benchmark.ts';
import { scoreEntry } from '../decisions/score-entry.ts';
import type { ShownScores } from '../decisions/shown-scores.ts';
import type { ResolvedPipeline } from './contract.ts';
import { explained } from './explained.ts';
import { inputOf } from './input-of.ts';
import { activities } from './jobs.ts';
import { recordScoreUpdate } from './messages.ts';
import type { PipelineBoard } from './pipeline-board.ts';
import { refusal } from './refusal.ts';
import { tellPages } from './tell-pages.ts';
import { wakeGates } from './wake-gates.ts';

type Page = Pick<PipelineBoard, 'resolved' | 'runId' | 'scored'>;

export function hearScores(board: Page): void {
  setHandler(recordScoreUpdate, async (input?: ScoreInput) => await recordScore(board, input), {
    description:
      '{"checkpoint": "demo/sft/a1/checkpoint-50", "benchmark": "public", "score": "40/50", "source": "where from", "by": "you"}: brings a score from outside; instead of a score, or beside it, "place": 2, "runtime": 253 (minutes), "kept" or "missed"',
    validator: (input?: ScoreInput) => {
      mustBeScore(board.resolved(), input);
    },
  });
}

/** Throws what a person sees in the form. */
function mustBeScore(resolved: ResolvedPipeline | null, input: unknown): void {
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

async function recordScore(board: Page, input: unknown): Promise<string> {
  try {
    const recorded = await activities('record a score from outside').recordScore({
      score: parsed(input),
      pipeline: workflowInfo().workflowId,
    });
    await wakeGates(recorded);
    // A workflow cannot signal itself.
    const isOwn = ({ pipelineId }: ShownScores) => pipelineId === workflowInfo().workflowId;
    const { shows = [] } = recorded;
    for (const own of shows.filter(isOwn)) if (own.runId === board.runId()) board.scored(own);
    await tellPages(shows.filter((one) => !isOwn(one)));
    return recorded.sentence;
  } catch (error) {
    throw explained(error);
  }
}

const parsed = (input: unknown): ScoreInput => inputOf('recordScore', scoreInputSchema, input);

const refused = (message: string) => refusal({ type: 'InvalidInput', message });
