/**
 * Answers what the command line asks: from the ledger and the store, changing nothing but what `prune`, `pin`, `reap`, `nodes`, `record-score`,
 * `import-eval` and `withdraw` are told to.
 */
import type { Answer, Question } from '../workflows/contract-questions.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { explanationOfPipeline } from './explain.ts';
import { explanationOfSweep } from './explain-sweep.ts';
import { answerNodes } from './node-memory.ts';
import { logOf } from './logs.ts';
import { findRunAndEnd, worksOf } from './named-run.ts';
import { planOf } from './plan.ts';
import { answerLineage } from './answer-lineage.ts';
import { answerPin } from './answer-pin.ts';
import { answerPrune } from './answer-prune.ts';
import { answerCompare } from './answer-compare.ts';
import { answerLeaderboard } from './answer-leaderboard.ts';
import { answerReap } from './answer-reap.ts';
import { importEvaluations } from './imports.ts';
import { recordScore } from './scores.ts';
import { withdrawEvidence } from './withdraw.ts';

export interface AnswerActivities {
  /** Throws `invalid-input`, `not-found`. */
  answerQuestion(question: Question): Promise<Answer>;
}

export function answerActivities(dependencies: ReadingDependencies): AnswerActivities {
  return {
    async answerQuestion(question) {
      switch (question.question) {
        case 'plan':
          return await planOf(dependencies, question.input);
        case 'explain':
          return await explained(dependencies, question);
        case 'prune':
          return await answerPrune(dependencies, question);
        case 'lineage':
          return await answerLineage(dependencies, question);
        case 'pin':
          return await answerPin(dependencies, question);
        case 'leaderboard':
          return await answerLeaderboard(dependencies, question);
        case 'compare':
          return await answerCompare(dependencies.ledger, question);
        case 'nodes':
          return await answerNodes(dependencies, question);
        case 'reap':
          return await answerReap(dependencies, question);
        case 'record-score':
          return await recordScore(dependencies, question);
        case 'import-eval':
          return await importEvaluations(dependencies, question);
        case 'withdraw':
          return await withdrawEvidence(dependencies, question);
        case 'logs':
          return await logOf(dependencies, question);
      }
    },
  };
}

/** A pipeline, or a sweep. */
async function explained(
  dependencies: ReadingDependencies,
  question: Extract<Question, { question: 'explain' }>,
): Promise<Answer> {
  const { ledger } = dependencies;
  const { phase, attempt, evidence } = question;
  const { found, end } = await findRunAndEnd(dependencies, question.pipeline);
  const wish = { attempt, evidence, end, store: dependencies.placeOf(undefined).store };
  if (found.kind === 'pipeline') return await explanationOfPipeline(ledger, found.run, { ...wish, phase });
  await worksOf(ledger, found, phase);
  return await explanationOfSweep(ledger, found.run, wish);
}
