/** What a person is told of a run that wrote no end: one that was terminated, is out of its time, or that the server has forgotten. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunState } from '../../decisions/run-state.ts';
import { explanationText } from '../../workers/terminal/explanation-text.ts';
import { leaderboardAnswerText } from '../../workers/terminal/leaderboard-text.ts';
import type { Log } from '../../workflows/contract-questions.ts';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { activityBench, type ActivityBench, runId, startAttempt } from '../support/activity-bench.ts';
import { level } from '../support/gate-builders.ts';
import { sweepsOn } from '../support/sweeps-on.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const { trains, open, close, record, firstJobRan, next, run, idOf } = sweepsOn(() => bench);
const explain = async (pipeline: string) =>
  explanationText(await bench.ask({ question: 'explain', pipeline })).split('\n\n');
const logs = async (pipeline: string, more: object = {}) => await bench.ask({ question: 'logs', pipeline, ...more });
const follow = async (pipeline: string, { directory, to }: Log) => await logs(pipeline, { seen: { directory, to } });

/** Of which runs the server was asked. */
function server(says: RunState): unknown[] {
  const asked: unknown[] = [];
  bench.dependencies.runState = (of) => {
    asked.push(of);
    return Promise.resolve(says);
  };
  return asked;
}

const at = (minutes: number) => new Date(Date.parse('2026-11-29T10:00:00Z') + minutes * 60_000).toISOString();
const terminated = (minutes = 0): RunState => ({
  ...{ kind: 'closed', status: 'terminated', closedAt: at(minutes) },
  ...{ by: 'ada', reason: 'the cluster moves' },
});
const said = 'It was terminated at 2026-11-29 10:00 UTC by ada (the cluster moves), and wrote no end of its own.';

describe('a sweep that was terminated', () => {
  beforeEach(async () => {
    for (const pipeline of ['alpha', 'beta']) await trains(pipeline, 20);
    await open();
  });

  test('is no more one that runs: explain says when, by whom and why, and the leaderboard that nothing more comes', async () => {
    await record(idOf('alpha', 20), level(2), { of: 'sweep-1' });
    const asked = server(terminated());
    const [head, ended, ...parts] = await explain('nightly');
    expect(head).toMatch(/^nightly-1: sweep nightly, terminated, 2026-11-29 10:00:00 to 2026-11-29 10:00:00 UTC/);
    expect([ended, asked]).toEqual([said, [run(1)]]);
    expect(parts.join('\n')).toMatch(/Due still[^]*\nsweep: cancelled\n {2}0\.00 h of jobs/);
    expect(parts.join('\n')).not.toMatch(/nothing to compare|runs still/);
    const board = await bench.ask({ question: 'leaderboard', pipeline: 'nightly' });
    expect(leaderboardAnswerText(board).endsWith(`\n\n${said}`)).toBe(true);
  });

  test('has no more to come in its log once its job has ended too', async () => {
    await next();
    const directory = await firstJobRan(60);
    await appendFile(join(directory, 'log.txt'), 'problem 1 of 20\n');
    const asked = server({ kind: 'open' });
    const told = await logs('nightly');
    expect([told.text, told.isOver, asked]).toEqual(['problem 1 of 20\n', false, []]);
    expect((await follow('nightly', told)).isOver).toBe(false);
    server(terminated());
    expect(await follow('nightly', told)).toMatchObject({ text: '', isOver: true, ended: said });
  });

  test('that ended in order while the server was asked has the end that it wrote', async () => {
    bench.dependencies.runState = async () => {
      await close();
      return terminated();
    };
    const [head, ...parts] = await explain('nightly');
    expect(head).toMatch(/sweep nightly, completed,/);
    expect(parts).not.toContain(said);
  });

  test('a new night that begins meanwhile is another run, and runs', async () => {
    bench.pass(86_400);
    bench.dependencies.runState = async () => {
      await open(undefined, 2);
      return terminated();
    };
    expect((await explain('nightly'))[0]).toMatch(/^nightly-2: sweep nightly, running, 2026-11-30/);
  });
});

describe('a pipeline that was terminated', () => {
  beforeEach(async () => {
    const resolved = { recipe: { name: 'small' } } as unknown as ResolvedPipeline;
    await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'run-1', resolved });
  });

  test('is told of in the same words', async () => {
    const asked = server(terminated());
    expect((await explain('demo')).slice(0, 2)).toEqual([
      expect.stringMatching(/^demo: recipe small, terminated, .* to 2026-11-29 10:00:00 UTC/),
      said,
    ]);
    expect(asked).toEqual([{ workflowId: 'demo', runId: 'run-1' }]);
  });

  test('its log goes on while its job saves what it has, and no longer than until the reaper comes', async () => {
    await startAttempt(bench);
    const told = await logs('demo');
    server(terminated());
    bench.pass(9 * 60);
    expect((await follow('demo', told)).isOver).toBe(false);
    bench.pass(2 * 60);
    expect((await follow('demo', told)).isOver).toBe(true);
  });

  test('its log is followed no longer where the server knows nothing of it, though its job has no end either', async () => {
    await startAttempt(bench);
    const told = await logs('demo');
    server({ kind: 'open' });
    expect(await follow('demo', told)).not.toHaveProperty('ended');
    server({ kind: 'unknown' });
    expect(await follow('demo', told)).toMatchObject({
      isOver: true,
      ended: expect.stringMatching(/ this Temporal server knows nothing of it: it is over, unless /) as unknown,
    });
  });

  test.each<{ says: RunState; state: string; want: RegExp | null }>([
    { says: { kind: 'open' }, state: 'running', want: null },
    {
      says: { kind: 'unknown' },
      state: 'unknown',
      want: /^Its end .* this Temporal server knows nothing of it: it is over, unless another server/,
    },
    {
      says: { kind: 'closed', status: 'timed-out', closedAt: at(5), by: null, reason: null },
      ...{ state: 'timed-out', want: /^It was out of its time at 2026-11-29 10:05 UTC, and wrote no end/ },
    },
    {
      says: { kind: 'closed', status: 'failed', closedAt: at(5), by: null, reason: null },
      ...{ state: 'failed', want: /^It failed at 2026-11-29 10:05 UTC, and wrote no end/ },
    },
  ])('or of which the server says $says.kind is $state', async ({ says, state, want }) => {
    server(says);
    const { ended, ...told } = await bench.ask({ question: 'explain', pipeline: 'demo' });
    expect(told.state).toBe(state);
    if (want === null) expect(ended).toBeUndefined();
    else expect(ended).toMatch(want);
  });

  test('without a server to ask it says that it may be over', async () => {
    const { state, ended } = await bench.ask({ question: 'explain', pipeline: 'demo' });
    expect([state, ended]).toEqual(['running', expect.stringMatching(/^Its end is not in the ledger: .* --direct\.$/)]);
  });
});
