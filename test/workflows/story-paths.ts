/** The paths through the story whose histories are kept: what happens on each, and which of its runs are kept. */
import { TemperError } from '../../decisions/errors.ts';
import { recipeOf } from '../support/recipes.ts';
import {
  type Answers,
  checkpointOf,
  completed,
  evaluatedSft,
  judged,
  promotes,
  rowOf,
  runsOn,
  startingFrom,
  tellingSomebody,
  isBase,
  ticketOf,
} from '../support/stories.ts';
import { failureOf, untilState } from '../support/workflow-bench.ts';
import { sweepStory, worse } from '../support/sweep-stories.ts';
import type { CheckpointRef, SweepInput } from '../../workflows/contract.ts';
import type { Question } from '../../workflows/contract-questions.ts';
import { collapsePaths } from './collapse-paths.ts';
import { evaluatedOnce, type Path } from './story-path.ts';
import { steeredPaths } from './steered-paths.ts';

/** Each path's runs: the pipeline, its phase `sft`, and that phase's last evaluation. */
export const kept = ['pipeline', 'phase', 'evaluation'] as const;

/** What the command line asks; its run is kept as `<name>.run.json`. */
export const question = {
  name: 'question',
  input: { question: 'plan', input: { recipe: 'small' } } satisfies Question,
};

/** A sweep of two jobs, of which one fails, and what it has to tell; its run is kept as `<name>.run.json`. */
export const sweep = {
  name: 'sweep',
  input: { sweep: 'nightly' } satisfies SweepInput,
  answers: {
    ...sweepStory(2, worse, true),
    judgeEvaluation: (_, times) =>
      Promise.resolve({ kind: times === 1 ? 'fail' : 'completed', sentence: 'gpu-oom.', delaySeconds: 0 }),
  } satisfies Answers,
};

/** No base: it starts from what another pipeline promoted. */
const branch = { ...recipeOf(), phases: [{ ...evaluatedOnce, from: { checkpoint: 'demo/base' } }] };
export const elsewhere: CheckpointRef = {
  id: 'demo/base/a1/checkpoint-160',
  path: '/store/pipelines/demo/base/attempt-1/checkpoints/checkpoint-160',
  format: 'hf',
  base: null,
  step: 160,
  digest: 'd'.repeat(64),
};
const unmounted = { for: 'mount', reason: 'FailedMount: no export', seconds: 601, node: 'gpu-7' } as const;

/** An evaluation that is killed, or fails, once. */
const evaluationOnce =
  (kind: 'again' | 'fail'): NonNullable<Answers['judgeEvaluation']> =>
  (_, times) =>
    Promise.resolve({ kind: times === 1 ? kind : 'completed', sentence: 'killed: SIGKILL.', delaySeconds: 1 });

export const paths: readonly Path[] = [
  ...collapsePaths,
  {
    name: 'straight',
    recipe: recipeOf([evaluatedSft]),
    answers: { judgeGate: ({ context }) => Promise.resolve(promotes(context, [rowOf(context, 50)])) },
  },
  {
    name: 'branch',
    recipe: branch,
    answers: {
      ...startingFrom(branch, { sft: elsewhere }),
      judgeGate: ({ context }) => Promise.resolve(promotes(context, [rowOf(context, 50)])),
    },
  },
  {
    name: 'resume',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      openAttempt: ({ context, opened }) => Promise.resolve(ticketOf(context, opened, opened === 1 ? 0 : 20)),
      awaitJob: ({ context, ticket, seenSteps }, times) => {
        if (times === 2) return Promise.resolve({ kind: 'stalled', because: 'no progress for 900 s while training' });
        const isDue = ticket.purpose === 'train' && ticket.number === 2 && seenSteps.length === 0;
        if (!isDue || isBase(context)) return Promise.resolve({ kind: 'ended' });
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 50, 2) });
      },
      judgeAttempt: ({ context, ticket }) =>
        Promise.resolve(isBase(context) || ticket.number > 1 ? completed : judged('resume', { delaySeconds: 1 })),
      judgeEvaluation: evaluationOnce('again'),
    },
  },
  {
    name: 'hold-and-release',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      judgeAttempt: ({ context, ticket }) =>
        Promise.resolve(isBase(context) || ticket.number > 1 ? completed : judged('hold')),
      judgeEvaluation: evaluationOnce('fail'),
    },
    async act(run) {
      await untilState(run, 'sft', 'held');
      await run.executeUpdate('release', { args: [{ phase: 'sft', by: 'ann', reason: 'the disk is larger now' }] });
    },
  },
  {
    name: 'told',
    tells: true,
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      ...tellingSomebody(recipeOf([evaluatedOnce])),
      awaitJob: ({ context, ticket, seenSteps }) => {
        if (isBase(context) || ticket.purpose === 'evaluate') return Promise.resolve({ kind: 'ended' });
        if (ticket.number === 1) return Promise.resolve({ kind: 'waited', because: 'It waited 61 min to start.' });
        if (seenSteps.length > 0) return Promise.resolve({ kind: 'ended' });
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 50, 2) });
      },
    },
    async act(run) {
      await untilState(run, 'sft', 'held');
      await run.executeUpdate('release', { args: [{ phase: 'sft' }] });
    },
  },
  {
    name: 'cannot-start',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      awaitJob: ({ context, ticket, seenSteps, toldWait }) => {
        if (isBase(context) || ticket.purpose === 'evaluate') return Promise.resolve({ kind: 'ended' });
        if (ticket.number === 1 && toldWait === 'none')
          return Promise.resolve({ kind: 'waits', for: 'mount', sentence: 'waits for its volumes (no export)' });
        if (ticket.number === 1)
          return Promise.resolve({ kind: 'waited', because: 'It waited 10 min.', wait: unmounted });
        if (seenSteps.length > 0) return Promise.resolve({ kind: 'ended' });
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 50, 2) });
      },
      judgeAttempt: ({ waited }) => Promise.resolve(waited ? judged('wait', { delaySeconds: 1 }) : completed),
    },
  },
  {
    name: 'shards',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      openEvaluation: ({ context, opened, shard }) =>
        Promise.resolve({
          ...ticketOf(context, opened),
          purpose: 'evaluate',
          dueSteps: [],
          shard: shard ?? { index: 0, of: 3 },
        }),
      judgeEvaluation: evaluationOnce('again'),
    },
  },
  {
    name: 'more-evaluations',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      judgeGate: ({ context }, times) => {
        const missing = { checkpoint: checkpointOf(context, 50).id, benchmark: 'addition', version: 1, seed: 2 };
        const more = {
          kind: 'more-evaluations',
          sentence: '1 evaluation more.',
          rows: [],
          missing: [missing],
        } as const;
        return Promise.resolve(times === 2 ? more : promotes(context));
      },
    },
  },
  {
    name: 'reuse',
    recipe: recipeOf([evaluatedOnce]),
    answers: {
      findFinishedPhase: ({ phase, ...context }) => {
        if (phase.kind !== 'base') return Promise.resolve(null);
        const checkpoint = { ...checkpointOf({ ...context, phase }, 160), digest: 'digest' };
        const because = 'Finished work of yesterday (phase base).';
        return Promise.resolve({ outcome: { state: 'reused', checkpoint, because, score: null }, rows: [] });
      },
      openEvaluation: () => Promise.resolve(null),
    },
  },
  {
    name: 'cancel',
    recipe: recipeOf([evaluatedSft]),
    answers: {
      awaitJob: ({ context, ticket, seenSteps }) => {
        if (isBase(context)) return Promise.resolve({ kind: 'ended' });
        if (ticket.purpose === 'evaluate' || seenSteps.length > 0) return runsOn();
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 20) });
      },
    },
    async act(run, story) {
      await story.called('awaitJob', 4);
      await run.cancel();
      await failureOf(run);
    },
  },
  {
    name: 'no-room',
    recipe: recipeOf([evaluatedSft]),
    answers: {
      submitJob: ({ context, ticket, waitsSince }) => {
        const job = { name: ticket.jobName, uid: `uid-of-${ticket.jobName}`, directory: ticket.directory };
        if (isBase(context)) return Promise.resolve(job);
        if (waitsSince === undefined) return Promise.resolve({ kind: 'no-room', because: 'exceeded quota: full' });
        if (ticket.purpose === 'train') return Promise.resolve(job);
        return Promise.reject(new TemperError('no-room', 'exceeded quota: full'));
      },
      awaitJob: ({ context, seenSteps }) => {
        if (isBase(context)) return Promise.resolve({ kind: 'ended' });
        if (seenSteps.length > 0) return runsOn();
        return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, 20) });
      },
    },
    async act(run, story) {
      await story.called('submitJob', 6);
      await run.cancel();
      await failureOf(run);
    },
  },
  ...steeredPaths,
];
