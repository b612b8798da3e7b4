/**
 * Evaluates checkpoints on benchmarks: in one job, so that imports and model loading are paid once, or in several that share the problems.
 *
 * Covers attempts of each job until every evaluation is in the ledger, exactly once. Does not cover grading (trainers/) or what scores mean
 * (decisions/gate.ts).
 */
import { ApplicationFailure, CancellationScope, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { AttemptTicket } from '../activities/attempts.ts';
import type { Shard } from '../decisions/evaluation.ts';
import type { EvaluationInput } from './contract.ts';
import { mustComeFromAPipeline } from './explained.ts';
import { activities, runJob } from './jobs.ts';
import { paragraph, summaryOf } from './markdown.ts';

/** Type of the failure of an evaluation that the recipe's budget does not allow. */
export const budgetSpent = 'BudgetSpent';

export async function evaluateCheckpoint(input: EvaluationInput): Promise<void> {
  mustComeFromAPipeline((input as EvaluationInput | undefined)?.context);
  const evaluation = startEvaluation(input);
  const first = await evaluation.open();
  if (first === null) return;
  const { of } = first.shard ?? { of: 1 };
  if (of === 1) await evaluation.carryOn(first);
  else await besideEachOther(of, (index) => evaluation.carryOn(index === 0 ? first : null, { index, of }));
}

/** Runs the shards; when one fails for good the jobs of the others are stopped. */
async function besideEachOther(of: number, run: (index: number) => Promise<void>): Promise<void> {
  const scope = new CancellationScope();
  const shards = scope.run(() => Promise.resolve(Array.from({ length: of }, (_, index) => run(index))));
  const running = await shards;
  try {
    await Promise.all(running);
  } catch (error) {
    scope.cancel();
    await Promise.allSettled(running);
    throw error;
  }
}

function startEvaluation(input: EvaluationInput) {
  const said = new Map<number, string>();
  let opened = 0;

  function show(sentence: string, shard?: Shard): void {
    said.set(
      shard?.index ?? 0,
      shard === undefined ? sentence : `shard ${shard.index + 1} of ${shard.of}: ${sentence}`,
    );
    const inOrder = [...said].sort(([a], [b]) => a - b);
    setCurrentDetails(inOrder.map(([, one]) => paragraph(one)).join('\n\n'));
  }

  async function open(shard?: Shard): Promise<AttemptTicket | null> {
    opened += 1;
    const ticket = await activities('open an evaluation').openEvaluation({ ...input, opened, ...(shard && { shard }) });
    if (ticket !== null && 'spent' in ticket) throw ApplicationFailure.nonRetryable(ticket.spent, budgetSpent);
    return ticket;
  }

  /** The attempts at a shard, or at the whole, beginning with one that is open. */
  async function carryOn(first: AttemptTicket | null, shard?: Shard): Promise<void> {
    const attempts: number[] = [];
    for (let ticket = first ?? (await open(shard)); ticket !== null; ticket = await open(shard)) {
      show(`${ticket.of} evaluations, attempt ${ticket.number}`, shard);
      attempts.push(ticket.number);
      const judged = await runOnce(ticket, attempts, (sentence) => {
        show(sentence, shard);
      });
      if (judged.kind === 'completed') return;
      if (judged.kind === 'fail') throw ApplicationFailure.nonRetryable(judged.sentence, 'EvaluationFailed');
      await sleep(Math.max(judged.delaySeconds, 1) * 1000, { summary: summaryOf(judged.sentence) });
    }
  }

  async function runOnce(ticket: AttemptTicket, attempts: number[], note: (sentence: string) => void) {
    const listener = { checkpoint: () => undefined, note, reached: () => undefined };
    const { job, gaveUp, ...end } = await runJob(input.context, ticket, listener);
    // Older workers judged no place that was given up.
    if (gaveUp !== null) throw ApplicationFailure.nonRetryable(gaveUp, 'EvaluationFailed');
    const { context } = input;
    const judged = await activities('record the outcomes').judgeEvaluation({ context, ticket, job, ...end, attempts });
    note(judged.sentence);
    return judged;
  }

  return { open, carryOn };
}
