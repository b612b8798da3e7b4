/** Paths on which the scores of a phase fall while it trains, and what their stories have in common. */
import type { Collapse } from '../../activities/collapse.ts';
import { recipeOf } from '../support/recipes.ts';
import {
  type Answers,
  checkpointOf,
  completed,
  evaluatedSft,
  isBase,
  promotes,
  runsOn,
  ticketOf,
} from '../support/stories.ts';
import { untilState } from '../support/workflow-bench.ts';
import type { Path } from './story-path.ts';

export const collapse: Collapse = {
  sentence: 'The run is collapsing at step 40: addition from 75.0 to 0.0 %. Go back to step 20.',
  goBackTo: { attempt: 1, step: 20 },
};

/** The first attempt saves 20 and 40 and trains on until it is stopped; the rule speaks at its second look. */
export const falling = {
  awaitJob: ({ context, ticket, seenSteps }) => {
    if (isBase(context) || ticket.purpose === 'evaluate' || ticket.number > 1)
      return Promise.resolve({ kind: 'ended' });
    const step = [20, 40].find((due) => !seenSteps.includes(due));
    if (step === undefined) return runsOn();
    return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, step) });
  },
  judgeCollapse: (_, times) => Promise.resolve(times === 2 ? collapse : null),
  judgeAttempt: ({ context, ticket }) =>
    Promise.resolve(
      isBase(context) || ticket.number > 1
        ? completed
        : { kind: 'stopped', sentence: 'attempt 1 is stopped', step: 43 },
    ),
  judgeGate: ({ context, upTo }) =>
    Promise.resolve(
      upTo === undefined
        ? promotes(context)
        : { ...promotes(context), kind: 'promote', score: 0.7, checkpoint: checkpointOf(context, upTo.step) },
    ),
} satisfies Answers;

/** The third checkpoint is there before the second is judged, and its evaluation would take hours. */
export const evaluatedAtTheFall = {
  ...falling,
  awaitJob: ({ context, ticket, seenSteps }) => {
    if (isBase(context)) return Promise.resolve({ kind: 'ended' });
    if (ticket.purpose === 'evaluate')
      return ticket.jobName.endsWith('-of-50') ? runsOn() : Promise.resolve({ kind: 'ended' });
    const step = [50, 20, 40].find((due) => !seenSteps.includes(due));
    if (step === undefined) return runsOn();
    return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, step) });
  },
  openEvaluation: ({ context, evaluations, opened }) => {
    const ticket = ticketOf(context, opened);
    const of50 = evaluations.some(({ checkpoint }) => checkpoint.endsWith('-50'));
    const jobName = `${ticket.jobName}${of50 ? '-of-50' : ''}`;
    return Promise.resolve({ ...ticket, jobName, title: 'evaluation', purpose: 'evaluate', of: 1, dueSteps: [] });
  },
} satisfies Answers;

export const collapsePaths: readonly Path[] = [
  {
    name: 'collapse',
    recipe: recipeOf([{ ...evaluatedSft, onCollapse: 'hold' }]),
    answers: falling,
    async act(run) {
      await untilState(run, 'sft', 'held');
      await run.executeUpdate('release', { args: [{ phase: 'sft' }] });
    },
  },
  {
    name: 'evaluated-at-the-fall',
    recipe: recipeOf([{ ...evaluatedSft, onCollapse: 'stop' }]),
    answers: evaluatedAtTheFall,
  },
];
