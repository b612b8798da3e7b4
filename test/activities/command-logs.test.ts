/** How far a foreign trainer is, where its backend keeps the log elsewhere: brought while the job is watched, and no stall while it cannot be. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackendLogs } from '../../activities/backend.ts';
import { phaseSchema } from '../../configs/schema.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  startAttempt,
  type StartedAttempt,
} from '../support/activity-bench.ts';
import { eventually } from '../support/eventually.ts';
import { foreign } from '../support/recipes.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const contextWith = (params: object = {}) =>
  contextOf({ phase: phaseSchema.parse({ ...foreign, params: { ...foreign.params, ...params } }) });
const log = ({ ticket }: StartedAttempt, text: string) => writeFile(join(ticket.directory, 'log.txt'), text);

test('where the backend keeps the log, it is brought while the job is watched: it is how far the trainer is', async () => {
  const attempt = await startAttempt(bench, 1, { context: contextWith() });
  bench.backend.run(attempt.job);
  const place = bench.dependencies.placeOf(undefined);
  let followed: AbortSignal | null = null;
  const logs: BackendLogs = {
    bring: () => Promise.resolve(),
    async follow(job, rank, { signal }) {
      expect([job, rank]).toEqual([attempt.job, 0]);
      followed = signal;
      await log(attempt, ' 14%|█  | 7/50 [00:00<00:05, 5it/s]\r');
    },
  };
  bench.dependencies.placeOf = () => ({ ...place, backend: { ...bench.backend, logs } });
  const { activities, beat } = bench.held();
  const waiting = activities.awaitJob({ ...attempt, seenSteps: [] });
  await beat(({ step }) => step === 7);
  expect(followed).toMatchObject({ aborted: false });
  bench.backend.end(attempt.job);
  expect(await waiting).toEqual({ kind: 'ended' });
  expect(followed).toMatchObject({ aborted: true });
});

test('while the backend hears of nothing, a log without a new step is no stall; a person sees for how long', async () => {
  const attempt = await startAttempt(bench, 1, { context: contextWith({ stallMinutes: 20 }) });
  bench.backend.run(attempt.job);
  await log(attempt, ' 2%|█  | 1/50 [00:00<00:05, 5it/s]\r');
  const place = bench.dependencies.placeOf(undefined);
  const logs: BackendLogs = { bring: () => Promise.resolve(), follow: () => Promise.resolve() };
  let unseen = 150;
  bench.dependencies.placeOf = () => ({ ...place, backend: { ...bench.backend, logs, unseenSeconds: () => unseen } });
  const { activities, beat, beats } = bench.held();
  const waiting = activities.awaitJob({ ...attempt, seenSteps: [] });
  await beat(({ step, unseenSeconds }) => step === 1 && unseenSeconds === 150);
  for (let minute = 1; minute <= 60; minute += 1) {
    bench.pass(60);
    const { length } = beats;
    await eventually('it beats', 60, () => beats.length > length + 1);
  }
  expect(beats.at(-1)).toMatchObject({ idleSeconds: 0 });
  unseen = 0;
  bench.backend.end(attempt.job);
  expect(await waiting).toEqual({ kind: 'ended' });
});
