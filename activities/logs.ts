/**
 * The log of a job: its end, or what came since somebody looked.
 *
 * Covers which job, and a short wait for more. Does not cover following for ever (whoever follows asks again).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { TemperError } from '../decisions/errors.ts';
import { judgeOwner } from '../decisions/reap.ts';
import { type SeenOnServer, sentenceOfRunState } from '../decisions/run-state.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Log, LogsQuestion } from '../workflows/contract-questions.ts';
import type { BackendLogs } from './backend.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { findRun, type NamedRun, seenOnServer, worksOf } from './named-run.ts';

/** What travels through a workflow's history at once. */
const mostBytes = 64 * 1024;
const lookMilliseconds = 500;
const longestBringMilliseconds = 10_000;

/** Throws `not-found` when there is no such pipeline or sweep, phase or attempt. */
export async function logOf(dependencies: ReadingDependencies, question: LogsQuestion): Promise<Log> {
  const { ledger, now } = dependencies;
  let seen: SeenOnServer | null = null;
  const { store, backend } = dependencies.placeOf(undefined);
  const looks = Math.max(1, Math.ceil(((question.waitSeconds ?? 0) * 1000) / lookMilliseconds));
  const over = new AbortController();
  const broughtOf = bringer(backend?.logs, question.rank ?? 0, over.signal);
  try {
    for (let look = 1; ; look += 1) {
      const named = await findRun(ledger, question.pipeline);
      const attempt = await findAttempt(dependencies, named, question);
      await broughtOf(attempt);
      const told = await read(store, { attempt, named, question });
      // Once a question: whoever follows asks again.
      if (told.text === '' && !told.isOver) seen ??= await seenOnServer(dependencies, named);
      const ended = told.text === '' && !told.isOver ? endWithoutItsOwn({ named, attempt, seen, now: now() }) : null;
      const log = ended === null ? told : { ...told, isOver: true, ended };
      const isNews = log.text !== '' || log.directory !== question.seen?.directory || log.isOver;
      if (isNews || look >= looks) return log;
      await pause(lookMilliseconds);
    }
  } finally {
    over.abort();
  }
}

/**
 * Why no more is waited for though the run wrote no end: the server does not know it, or goes on with it no more, and its job has ended too or
 * is left to the reaper. Null before.
 */
function endWithoutItsOwn({ named, attempt, seen, now }: Followed): string | null {
  const { state } = seen?.runId === named.run.runId ? seen : { state: null };
  if (state === null) return null;
  const saves = state.kind === 'closed' && attempt.endedAt === null;
  if (saves && judgeOwner(state, now.toISOString()).kind !== 'stop') return null;
  return sentenceOfRunState(state);
}

interface Followed {
  readonly named: NamedRun;
  readonly attempt: AttemptRecord;
  readonly seen: SeenOnServer | null;
  readonly now: Date;
}

/**
 * Brings the log of a job that runs, where its backend keeps it elsewhere: what there is at the first look, and what comes until the last. A
 * backend that does not answer keeps nobody from what lies on the store.
 */
function bringer(
  logs: BackendLogs | undefined,
  rank: number,
  signal: AbortSignal,
): (attempt: AttemptRecord & { readonly directory: string }) => Promise<void> {
  let followed: string | null = null;
  return async ({ endedAt, jobName: name, jobUid: uid, directory }) => {
    if (logs === undefined || endedAt !== null || name === null || uid === null || uid === followed) return;
    followed = uid;
    const job = { name, uid, directory };
    const enough = AbortSignal.any([signal, AbortSignal.timeout(longestBringMilliseconds)]);
    await logs.bring(job, rank, enough).catch(() => undefined);
    logs.follow(job, rank, { signal, heard: () => undefined }).catch(() => undefined);
  };
}

async function findAttempt(
  { ledger }: ReadingDependencies,
  named: NamedRun,
  question: LogsQuestion,
): Promise<AttemptRecord & { readonly directory: string }> {
  const works = await worksOf(ledger, named, question.phase);
  // A sweep trains nothing.
  const purpose = named.kind === 'sweep' ? 'evaluate' : (question.purpose ?? 'train');
  const attempts = await Promise.all(
    works.map(({ workflowId, runId, phase }) => ledger.attemptsOf({ workflowId, runId, phase, purpose })),
  );
  const begun = attempts
    .flat()
    .flatMap((attempt) => (attempt.directory === null ? [] : [{ ...attempt, directory: attempt.directory }]));
  const wanted = begun.filter(({ number }) => question.attempt === undefined || number === question.attempt);
  const newest = wanted.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1);
  if (newest) return newest;
  const { workflowId } = named.run;
  const where =
    question.phase === undefined ? `${named.kind} ${workflowId}` : `phase ${question.phase} of ${workflowId}`;
  const newestRun = named.kind === 'sweep' ? '' : ' in its newest run';
  const there = begun.map(({ number }) => String(number)).join(', ') || 'none yet';
  throw new TemperError(
    'not-found',
    `${where} has no such ${purpose === 'train' ? 'attempt' : 'evaluation job'}${newestRun}; there are: ${there}`,
  );
}

async function read(
  store: RunStore,
  of: {
    readonly attempt: AttemptRecord & { readonly directory: string };
    readonly named: NamedRun;
    readonly question: LogsQuestion;
  },
): Promise<Log> {
  const { attempt, named, question } = of;
  const { phase, purpose, number, state, directory } = attempt;
  const isFollowed = question.seen !== undefined;
  const from = question.seen?.directory === directory ? question.seen.to : isFollowed ? 0 : undefined;
  const window = await store.log(directory, {
    rank: question.rank ?? 0,
    ...(from === undefined ? {} : { from }),
    maximumBytes: mostBytes,
    isOver: attempt.endedAt !== null,
  });
  if (window === null && (question.rank ?? 0) > 0 && attempt.endedAt !== null)
    throw new TemperError('not-found', noSuchRank(attempt, question.rank ?? 0));
  const { text, from: begin, to } = window ?? { text: '', from: 0, to: 0 };
  const isPinned = question.attempt !== undefined;
  const isOver = text === '' && (named.run.endedAt !== null || (isPinned && attempt.endedAt !== null));
  return { answer: 'logs', phase, purpose, attempt: number, state, directory, from: begin, to, text, isOver };
}

function noSuchRank({ number, phase, evidence }: AttemptRecord, rank: number): string {
  const ranks = evidence?.ranks.map((end) => String(end.rank)) ?? [];
  const there = ranks.length === 0 ? '' : `; there are: ${ranks.join(', ')}`;
  return `attempt ${String(number)} of ${phase} has no log of rank ${String(rank)}${there}. Each pod of a job has one, from rank 0 on; a job of this machine has one for all`;
}
