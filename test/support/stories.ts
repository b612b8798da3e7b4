/**
 * Activities as a workflow test tells them: what each answers, and what it was asked.
 *
 * Without a word a story is the straight one: each attempt reaches its end, each gate promotes. Keyed by pipeline id, so that one
 * worker serves all stories of a file.
 */
import { activityInfo, cancelled, heartbeat } from '@temporalio/activity';
import type { AnswerActivities } from '../../activities/answers.ts';
import type { AttemptTicket } from '../../activities/attempts.ts';
import { withFailures } from '../../activities/failures.ts';
import type { GateAnswer } from '../../activities/gate.ts';
import type { AttemptJudgement } from '../../activities/judge-attempt.ts';
import type { Activities } from '../../activities/index.ts';
import { loadRecipe } from '../../configs/load.ts';
import { profileSchema } from '../../configs/schema.ts';
import { checkpointId } from '../../decisions/checkpoint-id.ts';
import { dueSteps, targetStepOf } from '../../decisions/due-steps.ts';
import type { LeaderboardRow } from '../../decisions/leaderboard.ts';
import type { CheckpointRef, PhaseContext, ResolvedPipeline } from '../../workflows/contract.ts';
import { type Document, leastPhases, recipeOf } from './recipes.ts';

type Told = Activities & AnswerActivities;
type Name = keyof Told;
type Input<N extends Name> = Parameters<Told[N]>[0];

/** What differs from the straight story. */
export type Answers = { readonly [N in Name]?: (input: Input<N>, times: number) => ReturnType<Told[N]> };

export interface Story {
  readonly pipelineId: string;
  readonly recipe: Document;
  /** Inputs of every call of an activity, in their order. */
  inputsOf<N extends Name>(name: N): readonly Input<N>[];
  /** Resolves when an activity has been called this often. */
  called(name: Name, times?: number): Promise<void>;
}

export interface Stories {
  readonly activities: Told;
  readonly tell: (pipelineId: string, recipe: Document, answers?: Answers) => Story;
}

interface Telling extends Story {
  readonly answers: Answers;
  call(name: Name, input: unknown): number;
}

/** Base and sft, evaluated at the steps 20, 40 and 50, with a gate. */
export const evaluatedSft: Document = {
  ...leastPhases.sft,
  evaluate: { every: 20, benchmarks: ['addition'] },
  gate: [{ rank: { by: 'addition' } }],
};

export function createStories(): Stories {
  const stories = new Map<string, Telling>();
  const ofRun = (): Telling => {
    const [first = ''] = (activityInfo().workflowExecution?.workflowId ?? '').split('/');
    // A schedule puts the time of its start behind the id.
    const id = first.replace(/-\d{4}-\d\d-\d\dT[\d:]+Z$/, '');
    const story = stories.get(id);
    if (story === undefined) throw new Error(`no story of ${id}`);
    return story;
  };
  const names = Object.keys(straight(() => recipeOf())) as (keyof ReturnType<typeof straight>)[];
  const activities = Object.fromEntries(
    names.map((name) => [
      name,
      async (input: never): Promise<unknown> => {
        const story = ofRun();
        const times = story.call(name, input);
        const answer = story.answers[name] ?? straight(() => story.recipe)[name];
        return await (answer as (input: never, times: number) => Promise<unknown>)(input, times);
      },
    ]),
  );
  return {
    activities: withFailures(activities as unknown as Told),
    tell(pipelineId, recipe, answers = {}) {
      const story = told(pipelineId, recipe, answers);
      stories.set(pipelineId, story);
      return story;
    },
  };
}

function told(pipelineId: string, recipe: Document, answers: Answers): Telling {
  const calls: { readonly name: Name; readonly input: unknown }[] = [];
  const listeners = new Set<() => void>();
  const timesOf = (name: Name) => calls.filter((call) => call.name === name).length;
  return {
    pipelineId,
    recipe,
    answers,
    call(name, input) {
      calls.push({ name, input });
      for (const listener of [...listeners]) listener();
      return timesOf(name);
    },
    inputsOf: <N extends Name>(name: N) =>
      calls.filter((call) => call.name === name).map(({ input }) => input as Input<N>),
    called: (name, times = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (timesOf(name) < times) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
  };
}

const nothing = () => Promise.resolve();

/** What is resolved has these too. */
export const resolvedWith = (recipe: Document, more: Partial<ResolvedPipeline>): Answers => ({
  resolvePipeline: async (input) => ({ ...(await straight(() => recipe).resolvePipeline(input)), ...more }),
});

/** A phase starts from what another pipeline promoted. */
export const startingFrom = (recipe: Document, starts: Readonly<Record<string, CheckpointRef>>): Answers =>
  resolvedWith(recipe, { starts });

/** A profile that names somebody to tell. */
export const tellingSomebody = (recipe: Document): Answers =>
  resolvedWith(recipe, {
    profile: profileSchema.parse({ name: 'local', backend: 'local', notify: { slackWebhook: { env: 'ALERTS' } } }),
  });

/** The straight story of a recipe. */
function straight(recipe: () => Document) {
  return {
    resolvePipeline: async ({ recipe: given, set = {} }) => {
      const document = typeof given === 'object' ? given : recipe();
      const { value, source } = await loadRecipe('.', document, set);
      const profile = profileSchema.parse({ name: 'local', backend: 'local' });
      return { recipe: value, profile, source, changed: Object.keys(set), dataDigests: {} };
    },
    openPipeline: ({ runId }) => Promise.resolve({ searchAttributes: false, runId }),
    closePipeline: nothing,
    findFinishedPhase: () => Promise.resolve(null),
    openAttempt: ({ context, opened }) => Promise.resolve(ticketOf(context, opened)),
    submitJob: ({ ticket }) =>
      Promise.resolve({ name: ticket.jobName, uid: `uid-of-${ticket.jobName}`, directory: ticket.directory }),
    awaitJob: ({ context, ticket, seenSteps }) => {
      const step = ticket.dueSteps.find((due) => !seenSteps.includes(due));
      if (step === undefined) return Promise.resolve({ kind: 'ended' });
      return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, step, ticket.number) });
    },
    stopJob: () => Promise.resolve({ step: null }),
    withdrawJob: nothing,
    stopJobsOf: nothing,
    judgeAttempt: ({ ticket }) =>
      Promise.resolve({
        kind: 'completed',
        sentence: `attempt ${String(ticket.number)} is complete at step ${String(ticket.of)}`,
        seconds: { training: 6 },
      }),
    recordRelease: nothing,
    recordSteering: nothing,
    nameCheckpoint: ({ checkpoint }) =>
      Promise.resolve({
        id: checkpoint,
        path: `/store/${checkpoint}`,
        format: 'peft',
        base: null,
        step: 20,
        digest: null,
      }),
    changeRecipe: async ({ resolved, set }) => ({
      recipe: (await loadRecipe('.', resolved.recipe, set)).value,
      dataDigests: resolved.dataDigests,
    }),
    openEvaluation: ({ context, evaluations, opened }) =>
      Promise.resolve({
        ...ticketOf(context, opened),
        title: `${context.phase.name} evaluation`,
        purpose: 'evaluate',
        of: evaluations.length,
        dueSteps: [],
      }),
    judgeEvaluation: () => Promise.resolve({ kind: 'completed', sentence: '1 evaluation recorded', delaySeconds: 0 }),
    judgeCollapse: () => Promise.resolve(null),
    judgeGate: ({ context }) => Promise.resolve(promotes(context)),
    promote: ({ checkpoint }) => Promise.resolve({ ...checkpoint, digest: `digest-of-${checkpoint.id}` }),
    closePhase: nothing,
    openSweep: () =>
      Promise.resolve({ name: 'nightly', profile: 'local', notifies: false, checkpoints: 0, benchmarks: [] }),
    nextOfSweep: () => Promise.resolve({ kind: 'done' }),
    recordSweepFailure: nothing,
    closeSweep: () => Promise.reject(new Error('no sweep is told of')),
    goOn: nothing,
    recordScore: ({ score }) =>
      Promise.resolve({
        answer: 'record-score',
        id: '0123456789ab',
        recorded: true,
        sentence: `Recorded as 0123456789ab: ${score.benchmark}.`,
        wakes: [],
      }),
    notify: () => Promise.resolve({ kind: 'sent', sentence: 'A person was told that the phase is held.' }),
    answerQuestion: () =>
      Promise.resolve({ answer: 'plan', recipe: 'small', source: 'inline', profile: 'local', phases: [], values: [] }),
  } satisfies Partial<Told>;
}

export function ticketOf(context: PhaseContext, number: number, resumeStep = 0): AttemptTicket {
  const { phase } = context;
  const jobName = `t-${phase.name}-a${String(number)}`;
  return {
    title: phase.name,
    purpose: 'train',
    number,
    jobName,
    directory: `/store/${phase.name}/attempt-${String(number)}`,
    resumeStep,
    of: targetStepOf(phase),
    dueSteps: phase.evaluate ? dueSteps(phase) : [],
    sentence: resumeStep === 0 ? 'Starts at the start.' : `Goes on from step ${String(resumeStep)}.`,
    asked: { job: jobName, attempt: number, targetStep: targetStepOf(phase), resume: null, start: null, trains: true },
    changes: [],
    withdraws: true,
  };
}

export function checkpointOf({ pipelineId, phase, start }: PhaseContext, step: number, attempt = 1): CheckpointRef {
  const id = checkpointId({ workflowId: pipelineId, phase: phase.name, attempt, step });
  return { id, path: `/store/${id}`, format: 'peft', base: start?.path ?? null, step, digest: null };
}

/** How an attempt that failed is answered. */
export function judged(
  kind: Exclude<AttemptJudgement['kind'], 'completed' | 'stopped'>,
  more: Partial<Exclude<AttemptJudgement, { kind: 'completed' | 'stopped' }>> = {},
): AttemptJudgement {
  return { kind, sentence: `attempt 1 failed. ${kind}.`, delaySeconds: 0, ...more };
}

export const completed: AttemptJudgement = { kind: 'completed', sentence: 'complete', seconds: {} };

export function promotes(context: PhaseContext, rows: readonly LeaderboardRow[] = []): GateAnswer {
  const checkpoint = checkpointOf(context, targetStepOf(context.phase));
  return { kind: 'promote', checkpoint, score: 0.5, sentence: `Promoted ${checkpoint.id}: the newest.`, rows };
}

export function rowOf(context: PhaseContext, step: number, more: Partial<LeaderboardRow> = {}): LeaderboardRow {
  const checkpoint = checkpointOf(context, step).id;
  const sizes = { problems: 40, samples: 160, seeds: 1, tokensPerSample: 10, truncatedShare: 0, seconds: 3 };
  const numbers = { mean: 0.5, sdOverSeeds: null, low: 0.4, high: 0.6, passAtK: { k: 4, value: 0.9 }, gain: null };
  const of = { phase: context.phase.name, checkpoint, step, benchmark: 'addition', version: 1 };
  return { ...of, ...sizes, ...numbers, verdict: 'promote', why: 'the highest', ...more };
}

/** A job that runs until somebody is told to stop watching it. */
export async function runsOn(): Promise<never> {
  heartbeat({ state: 'running' });
  return await cancelled();
}

/** Whether the activity is of the phase that begins a recipe of the stories. */
export const isBase = ({ phase }: PhaseContext) => phase.kind === 'base';
