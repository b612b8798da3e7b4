/** What `temper reap` asks for: which living jobs run for nobody and why the others stay. Does not cover the rule (decisions/reap.ts). */
import { TemperError } from '../decisions/errors.ts';
import { sentenceOfReap } from '../decisions/reap.ts';
import type { Reaped, ReapQuestion } from '../workflows/contract-questions.ts';
import type { ReadingDependencies } from './dependencies.ts';

/** Lines of each list. */
const mostLines = 400;

/** Throws `environment-unusable` where no Temporal server can be asked. */
export async function answerReap({ reaper }: ReadingDependencies, { stop }: ReapQuestion): Promise<Reaped> {
  if (reaper === undefined)
    throw new TemperError('environment-unusable', 'who owns a job only a worker can say: ask without --direct');
  const judged = await reaper.judge({ stop });
  const lines = judged.map(({ job, decision }) => ({
    kind: decision.kind,
    job: job.name,
    why: sentenceOfReap(decision),
  }));
  const of = (kind: 'stop' | 'leave') =>
    lines.filter((line) => line.kind === kind).map(({ job, why }) => ({ job, why }));
  const [go, stay] = [of('stop'), of('leave')];
  return {
    answer: 'reap',
    stopped: stop,
    go: go.slice(0, mostLines),
    stay: stay.slice(0, mostLines),
    omitted: Math.max(0, go.length - mostLines) + Math.max(0, stay.length - mostLines),
  };
}
