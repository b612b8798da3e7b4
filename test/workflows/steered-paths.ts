/** Paths on which a person steers: resets, holds, begins anew, skips, promotes, brings a score from outside. */
import { childIds } from '../../workflows/contract.ts';
import { resetRun } from '../support/reset-run.ts';
import { addition, leastPhases, recipeOf } from '../support/recipes.ts';
import { checkpointOf, completed, evaluatedSft, isBase, judged, promotes, runsOn } from '../support/stories.ts';
import { untilState } from '../support/workflow-bench.ts';
import { evaluatedOnce, type Path } from './story-path.ts';

export const steeredPaths: readonly Path[] = [
  {
    name: 'reset-to-its-start',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      awaitJob: ({ context, ticket, seenSteps }, times) => {
        if (times === 1) return runsOn();
        if (isBase(context) || ticket.purpose === 'evaluate' || seenSteps.length > 0)
          return Promise.resolve({ kind: 'ended' });
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 50) });
      },
    },
    async act(run) {
      await untilState(run, 'base', 'running');
      await (await resetRun(run, 'first')).result();
    },
  },
  {
    name: 'phase-terminated',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      awaitJob: ({ context, ticket, seenSteps }) => {
        if (isBase(context) || ticket.purpose === 'evaluate') return Promise.resolve({ kind: 'ended' });
        if (seenSteps.length > 0) return runsOn();
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 50) });
      },
    },
    async act(run, story) {
      await story.called('judgeEvaluation');
      await run.client.getHandle(childIds.phase(story.pipelineId, 'sft')).terminate('by hand');
    },
  },
  {
    name: 'held-by-person',
    recipe: recipeOf([evaluatedSft]),
    answers: {
      awaitJob: ({ context, ticket, seenSteps }) => {
        if (isBase(context) || ticket.number > 1) return Promise.resolve({ kind: 'ended' });
        if (ticket.purpose === 'evaluate' || seenSteps.length > 0) return runsOn();
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 20) });
      },
      judgeAttempt: (_, times) => Promise.resolve(times === 2 ? judged('resume', { delaySeconds: 1 }) : completed),
    },
    async act(run, story) {
      await story.called('awaitJob', 4);
      await run.executeUpdate('hold', { args: [{ by: 'ann', reason: 'the nodes are needed' }] });
      await untilState(run, 'sft', 'held');
      await run.executeUpdate('release', { args: [{}] });
    },
  },
  {
    name: 'begun-anew',
    recipe: recipeOf([evaluatedOnce, leastPhases.orpo]),
    answers: {
      judgeAttempt: (_, times) => Promise.resolve(times === 2 ? judged('hold') : completed),
    },
    async act(run) {
      await untilState(run, 'sft', 'held');
      await run.executeUpdate('extendBudget', { args: [{ budgets: { attempts: 9 } }] });
      await run.executeUpdate('skipPhase', { args: [{ phase: 'orpo', by: 'ann' }] });
      await run.executeUpdate('retryPhase', { args: [{ set: { 'params.learningRate': 0.0001 } }] });
    },
  },
  {
    name: 'promoted-by-hand',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      judgeAttempt: (_, times) => Promise.resolve(times === 2 ? judged('hold') : completed),
    },
    async act(run) {
      await untilState(run, 'sft', 'held');
      await run.executeUpdate('promote', { args: [{ checkpoint: 'sft-50', by: 'ann' }] });
    },
  },
  {
    name: 'skipped-while-held',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      judgeAttempt: (_, times) => Promise.resolve(times === 2 ? judged('hold') : completed),
    },
    async act(run) {
      await untilState(run, 'sft', 'held');
      await run.executeUpdate('skipPhase', { args: [{ reason: 'no data' }] });
    },
  },
  {
    name: 'outside-score',
    recipe: recipeOf([evaluatedOnce], { benchmarks: { addition, public: { outside: true, problems: 50 } } }),
    answers: {
      judgeGate: ({ context }, times) =>
        Promise.resolve(
          isBase(context) || times > 2
            ? promotes(context)
            : {
                kind: 'hold',
                sentence: 'a score is lacking.',
                rows: [],
                heldAt: { stage: 0, contenders: ['one'] },
                hearsScores: true,
              },
        ),
      recordScore: () =>
        Promise.resolve({
          ...{ answer: 'record-score', id: '0123', recorded: true, sentence: 'Recorded as 0123.' },
          wakes: ['outside-score/sft'],
        }),
    },
    async act(run) {
      await untilState(run, 'sft', 'held');
      const score = { checkpoint: 'outside-score/sft/a1/checkpoint-50', benchmark: 'public', score: '40/50' };
      await run.executeUpdate('recordScore', { args: [score] });
    },
  },
  {
    // The gate tells the page what came in from outside; so does the score of another pipeline's checkpoint, which its page is told.
    name: 'outside-score-shown',
    recipe: recipeOf([evaluatedOnce], { benchmarks: { addition, public: { outside: true, problems: 50 } } }),
    answers: {
      judgeGate: ({ context }, times) =>
        Promise.resolve(
          isBase(context) || times > 2
            ? { ...promotes(context), ...(!isBase(context) && { outside: { rows: [], asOf: '2026-11-30T10:01:00Z' } }) }
            : {
                kind: 'hold',
                sentence: 'a score is lacking.',
                rows: [],
                hearsScores: true,
                outside: { rows: [], asOf: '2026-11-30T10:00:00Z' },
              },
        ),
      recordScore: () =>
        Promise.resolve({
          ...{ answer: 'record-score', id: '0123', recorded: true, sentence: 'Recorded as 0123.' },
          wakes: ['outside-score-shown/sft'],
          shows: [
            {
              pipelineId: 'outside-score-shown',
              runId: 'this',
              rows: [],
              outside: { rows: [], asOf: '2026-11-30T10:01:00Z' },
            },
            { pipelineId: 'nowhere', runId: 'that', rows: [], outside: { rows: [], asOf: '2026-11-30T10:01:00Z' } },
          ],
        }),
    },
    async act(run) {
      await untilState(run, 'sft', 'held');
      const score = { checkpoint: 'outside-score-shown/sft/a1/checkpoint-50', benchmark: 'public', score: '40/50' };
      await run.executeUpdate('recordScore', { args: [score] });
    },
  },
];
