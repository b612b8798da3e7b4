/**
 * Evaluates checkpoints on benchmarks in one job, so that imports and model loading are paid once.
 *
 * Covers attempts until every evaluation is in the ledger, exactly once. Does not cover grading (trainers/) or what scores mean (decisions/gate.ts).
 */
import { ApplicationFailure, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { EvaluationInput } from './contract.ts';
import { mustComeFromAPipeline } from './explained.ts';
import { activities, runJob } from './jobs.ts';
import { paragraph, summaryOf } from './markdown.ts';

/** Type of the failure of an evaluation that the recipe's budget does not allow. */
export const budgetSpent = 'BudgetSpent';

export async function evaluateCheckpoint(input: EvaluationInput): Promise<void> {
  mustComeFromAPipeline((input as EvaluationInput | undefined)?.context);
  const attempts: number[] = [];
  const show = (sentence: string) => {
    setCurrentDetails(paragraph(sentence));
  };
  for (let opened = 1; ; opened += 1) {
    const ticket = await activities('open an evaluation').openEvaluation({ ...input, opened });
    if (ticket === null) return;
    if ('spent' in ticket) throw ApplicationFailure.nonRetryable(ticket.spent, budgetSpent);
    setCurrentDetails(`${String(ticket.of)} evaluations, attempt ${String(ticket.number)}`);
    attempts.push(ticket.number);
    const { job, gaveUp, ...end } = await runJob(input.context, ticket, {
      checkpoint: () => undefined,
      note: show,
      reached: () => undefined,
    });
    // Workers of before judged no place that was given up.
    if (gaveUp !== null) throw ApplicationFailure.nonRetryable(gaveUp, 'EvaluationFailed');
    const judged = await activities('record the outcomes').judgeEvaluation({
      context: input.context,
      ticket,
      job,
      ...end,
      attempts,
    });
    show(judged.sentence);
    switch (judged.kind) {
      case 'completed':
        return;
      case 'again':
        await sleep(Math.max(judged.delaySeconds, 1) * 1000, { summary: summaryOf(judged.sentence) });
        break;
      case 'fail':
        throw ApplicationFailure.nonRetryable(judged.sentence, 'EvaluationFailed');
    }
  }
}
