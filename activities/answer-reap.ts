/** What `temper reap` asks for: which living jobs run for nobody and why the others stay. Does not cover the rule (decisions/reap.ts). */
import { TemperError } from '../decisions/errors.ts';
import { sentenceOfReap, type StopOutcome } from '../decisions/reap.ts';
import type { Reaped, ReapQuestion } from '../workflows/contract-questions.ts';
import type { ReadingDependencies } from './dependencies.ts';

/** Lines of each list. */
const mostLines = 400;

/** Throws `environment-unusable` where no Temporal server can be asked. */
export async function answerReap({ reaper }: ReadingDependencies, { stop }: ReapQuestion): Promise<Reaped> {
  if (reaper === undefined)
    throw new TemperError('environment-unusable', 'who owns a job only a worker can say: ask without --direct');
  const judged = await reaper.judge({ stop });
  const go = judged.flatMap(({ job, decision, outcome = null }) =>
    decision.kind === 'stop' ? [{ job: job.name, why: sentenceOfReap(decision), outcome }] : [],
  );
  const stay = judged.flatMap(({ job, decision }) =>
    decision.kind === 'leave' ? [{ job: job.name, why: sentenceOfReap(decision) }] : [],
  );
  const ended = (kind: StopOutcome['kind']) => go.filter(({ outcome }) => outcome?.kind === kind).length;
  return {
    answer: 'reap',
    stopped: stop,
    go: go.slice(0, mostLines),
    stay: stay.slice(0, mostLines),
    counts: {
      go: go.length,
      stay: stay.length,
      stopped: ended('stopped'),
      stopping: ended('stopping'),
      refused: ended('refused'),
    },
  };
}
