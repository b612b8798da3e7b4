/** What is kept of a job: everything that explains its end, bounded, joined with what was kept before, and nobody else's. */
import { mkdtemp, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterEvent, jobEvidenceFile, parseJobEvidence } from '../../decisions/job-evidence.ts';
import { evidenceOf, mostBytes, mostEvents, mostPods, type SeenJob } from '../../k8s/evidence.ts';
import { EvidenceKeeper } from '../../k8s/evidence-file.ts';
import { at, condition, ended, failed, job, now, pod, running, terminated, time } from './job-builders.ts';

const recorded = JSON.parse(readFileSync(new URL('recorded/ends.json', import.meta.url), 'utf8')) as Record<
  string,
  SeenJob
>;
const of = (name: string) => evidenceOf(recorded[name] as SeenJob, now);

const event = (change: Partial<ClusterEvent> = {}): ClusterEvent => ({
  type: 'Warning',
  reason: 'FailedMount',
  message: 'no volume',
  pod: 'j-0',
  firstAt: ended,
  lastAt: ended,
  count: 1,
  ...change,
});

const evidenceKeeper = (told: string[] = []) =>
  new EvidenceKeeper({ now: () => now, warn: (sentence) => void told.push(sentence) });

test('of an init container that failed: which, with what code, and that the trainer never began', () => {
  expect(of('init-fails').pods[0]?.containers).toEqual([
    {
      name: 'fetch',
      isInit: true,
      restarts: 0,
      state: {
        kind: 'ended',
        exitCode: 3,
        signal: null,
        reason: 'Error',
        message: null,
        startedAt: '2026-11-30T05:49:19Z',
        endedAt: '2026-11-30T05:49:19Z',
      },
      before: null,
    },
    {
      name: 'trainer',
      isInit: false,
      restarts: 0,
      state: { kind: 'waiting', reason: 'PodInitializing', message: null },
      before: null,
    },
  ]);
});

test('of a container that could not be started: the runtime’s words, and no start', () => {
  expect(of('no-such-in-path').pods[0]?.containers[0]?.state).toMatchObject({
    kind: 'ended',
    exitCode: 128,
    reason: 'StartError',
    message: expect.stringContaining('executable file not found in $PATH') as string,
    startedAt: null,
  });
});

test('of an eviction: the pod’s disruption, the Job’s conditions and the events, and that the pod is gone', () => {
  const { conditions, pods, events } = of('evicted');
  expect(pods[0]).toMatchObject({ isGone: true, rank: 0 });
  expect(pods[0]?.conditions[0]).toMatchObject({ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' });
  expect(conditions.map(({ type, reason }) => `${type} ${String(reason)}`)).toEqual([
    'FailureTarget PodFailurePolicy',
    'Failed PodFailurePolicy',
  ]);
  expect(events.map(({ reason }) => reason)).toContain('Killing');
});

test('of a container that was started again: how it had ended', () => {
  const side = of('native-sidecar-oom').pods[0]?.containers.find(({ name }) => name === 'side');
  expect(side?.before).toMatchObject({ kind: 'ended', reason: 'OOMKilled' });
});

test('all of a job of 16 pods fits, with the last words of each', () => {
  const said = { message: 'x'.repeat(4096) };
  const pods = Array.from({ length: 16 }, (_, index) => pod({ index, state: terminated(1, 'Error', said) }));
  const kept = evidenceOf({ job: job(failed), pods, events: [event()] }, now);
  expect(kept.pods).toHaveLength(16);
  expect(kept.omitted).toEqual({ pods: 0, events: 0 });
  const [state] = kept.pods.map(({ containers }) => containers[0]?.state);
  expect(state?.kind === 'ended' && state.message?.length).toBe(2000);
});

test('of more than is kept, those in trouble stay, and what was left out is counted; texts are shortened until all fits', () => {
  const said = { message: 'x'.repeat(4096) };
  const pods = Array.from({ length: 300 }, (_, index) =>
    pod({ index, state: index === 299 ? terminated(1, 'Error', said) : terminated(0, 'Completed', said) }),
  );
  const events = Array.from({ length: 150 }, (_, at) => event({ message: `${String(at)}${'y'.repeat(1000)}` }));
  const kept = evidenceOf({ job: job(failed), pods, events }, now);
  expect(kept.pods.at(-1)?.rank).toBe(299);
  expect([kept.pods.length, kept.events.length]).toEqual([mostPods, mostEvents]);
  expect(kept.omitted).toEqual({ pods: 300 - mostPods, events: 150 - mostEvents });
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(mostBytes);
});

describe('of 100 pods stays', () => {
  const many = (of: (index: number) => SeenJob['pods'][number], conditions: object[] = []) => {
    const pods = Array.from({ length: 100 }, (_, index) => of(index));
    return { job: job({ status: { conditions } }), pods, events: [] };
  };
  const ranks = (seen: SeenJob) => evidenceOf(seen, now).pods.map(({ rank }) => rank);
  const oom = { state: terminated(137, 'OOMKilled', { finishedAt: time(1) }) };

  test.each([
    {
      what: 'ended with 143 after it',
      others: { state: terminated(143, 'Error', { finishedAt: time(2) }) },
      decided: [],
    },
    {
      what: 'were ended in the same second, since the Job was decided',
      others: { state: terminated(143, 'Error', { finishedAt: time(1) }), deletedAt: time(1) },
      decided: [at('FailureTarget', 1)],
    },
    { what: 'run', others: { state: running }, decided: [] },
    { what: 'did well', others: { state: terminated(0, 'Completed', { finishedAt: time(1) }) }, decided: [] },
  ])('the one whose memory ran out, where the others $what', ({ others, decided }) => {
    expect(ranks(many((index) => pod({ index, ...(index === 80 ? oom : others) }), decided))).toContain(80);
  });

  test.each([
    { what: 'have no word of a container', change: { phase: 'Pending' } },
    { what: 'wait for their image', change: { state: { waiting: { reason: 'ImagePullBackOff' } } } },
  ])('each of the ten that $what, where the others run', ({ change }) => {
    const kept = ranks(many((index) => pod({ index, ...(index < 90 ? { state: running } : change) })));
    expect(kept.slice(-10)).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
  });

  test('one that vanished while it ran, and one that was disrupted, of many that were never placed', () => {
    const told = many((index) => {
      if (index === 70) return { ...pod({ index, state: running }), isGone: true };
      if (index === 71) return pod({ index, state: running, conditions: [condition('DisruptionTarget')] });
      return pod({ index, phase: 'Pending' });
    });
    expect(ranks(told)).toEqual(expect.arrayContaining([70, 71]));
  });

  test('what was left out before counts once, and lives on: only what is not seen any more is gone', () => {
    const seen = many((index) => pod({ index, state: running }));
    const before = evidenceOf(seen, now);
    const again = evidenceOf(seen, now, before);
    expect(again.omitted).toEqual({ pods: 100 - mostPods, events: 0 });
    expect(again.pods.filter(({ isGone }) => isGone)).toEqual([]);
    // Rank 99 is seen for the first time among what is kept.
    const ended = many((index) => pod({ index, state: index === 99 ? terminated(1) : running }));
    const last = evidenceOf({ ...ended, pods: ended.pods.slice(1) }, now, again);
    expect(last.pods.filter(({ isGone }) => isGone).map(({ rank }) => rank)).toEqual([0]);
    expect(last.pods.at(-1)).toMatchObject({ rank: 99, isGone: false });
    expect(last.omitted.pods).toBe(100 - mostPods);
  });
});

test('what was kept before stays, as it was last seen; what is seen now is as it is now', () => {
  const before = evidenceOf(
    { job: job(), pods: [pod({ state: running }), pod({ index: 1, state: running })], events: [event()] },
    now,
  );
  const seen = { job: job(failed), pods: [pod({ index: 1, state: terminated(3) })], events: [event({ count: 5 })] };
  const { pods, events, conditions } = evidenceOf(seen, now, before);
  expect(pods).toMatchObject([
    { rank: 0, isGone: true, containers: [{ state: { kind: 'running' } }] },
    { rank: 1, isGone: false, containers: [{ state: { kind: 'ended', exitCode: 3 } }] },
  ]);
  expect(events).toEqual([event({ count: 5 })]);
  expect(conditions).toMatchObject([{ type: 'Failed' }]);
});

describe('its file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'temper-evidence-'));
  });
  afterEach(() => rm(directory, { recursive: true }));
  const ref = (uid = 'u') => ({ name: 'j', uid, directory });
  const read = async () => parseJobEvidence(await readFile(join(directory, jobEvidenceFile), 'utf8'));
  const seen = (...pods: SeenJob['pods']): SeenJob => ({ job: job(failed), pods, events: [event()] });

  test('is written at once by all who see something, and none loses what another has seen', async () => {
    const [one, other] = [evidenceKeeper(), evidenceKeeper()];
    const pods = [pod({ state: running }), pod({ index: 1, state: running })];
    // Each pod that is ended tells of all.
    await Promise.all(pods.map((_, index) => one.keep(ref(), seen(...pods.slice(0, index + 1)))));
    // Another worker, after a restart, knows a third alone.
    await other.keep(ref(), seen(pod({ index: 2, state: running, conditions: [condition('DisruptionTarget')] })));
    expect((await read())?.pods.map(({ rank }) => rank)).toEqual([0, 1, 2]);
  });

  test('of another job in the same place counts for nothing; nor does what a trainer left there', async () => {
    const keeper = evidenceKeeper();
    const { metadata, ...rest } = job(failed);
    const former = { ...rest, metadata: { ...metadata, uid: 'former' } };
    await keeper.keep(ref('former'), { ...seen(pod({ state: running })), job: former });
    await keeper.keep(ref(), seen());
    expect(await read()).toMatchObject({ uid: 'u', pods: [] });
    await writeFile(join(directory, jobEvidenceFile), '{"uid":"u","pods":[null],"events":7}');
    expect(await read()).toBeNull();
    await keeper.keep(ref(), seen(pod()));
    expect((await read())?.pods).toHaveLength(1);
  });

  test('follows no link that a trainer left in its place', async () => {
    const elsewhere = join(directory, 'elsewhere');
    await writeFile(elsewhere, 'mine');
    await symlink(elsewhere, join(directory, jobEvidenceFile));
    await evidenceKeeper().keep(ref(), seen(pod()));
    expect(await readFile(elsewhere, 'utf8')).toBe('mine');
    expect((await read())?.pods).toHaveLength(1);
  });

  test('that is far longer than any that Temper writes counts for nothing', async () => {
    await writeFile(join(directory, jobEvidenceFile), '');
    await truncate(join(directory, jobEvidenceFile), 5 * 1024 * 1024);
    await evidenceKeeper().keep(ref(), seen(pod()));
    expect((await read())?.pods).toHaveLength(1);
  });

  test('that cannot be written keeps nobody; who runs the worker is told once of each job, with the file', async () => {
    const told: string[] = [];
    const keeper = evidenceKeeper(told);
    const gone = { ...ref(), directory: join(directory, 'gone') };
    for (const uid of ['u', 'u', 'v']) await keeper.keep({ ...gone, uid }, seen(pod()));
    await expect(stat(gone.directory)).rejects.toThrow('ENOENT');
    expect(told).toHaveLength(2);
    expect(told[0]).toContain(`of job j is not kept in ${join(gone.directory, jobEvidenceFile)} (Error: ENOENT`);
  });
});
