import { basename } from 'node:path';
import type { JobRef } from '../../activities/backend.ts';
import type { OwnerState } from '../../decisions/reap.ts';
import { reservationKey } from '../../decisions/reservation-key.ts';
import type { AttemptRecord } from '../../store/ledger/attempts.ts';
import { type Reaper, type ReaperOptions, startReaper } from '../../workers/reaper.ts';

const reapers: Reaper[] = [];
afterEach(() => {
  for (const reaper of reapers.splice(0)) reaper.close();
});

const now = new Date('2026-11-29T10:00:00.000Z');
const longClosed: OwnerState = { kind: 'closed', closedAt: '2026-11-29T09:00:00.000Z' };
const job = (name: string): JobRef => ({ name, uid: `uid of ${name}`, directory: `/store/${name}` });

/** Jobs by name with what is known of their owners; `asked` counts the questions to Temporal, `changed` what the ledger is told. */
function scene(owners: Readonly<Record<string, OwnerState>>, change: Partial<ReaperOptions> = {}) {
  const jobs = Object.keys(owners).map(job);
  const [asked, stopped, changed, said]: [string[][], string[], unknown[], string[]] = [[], [], [], []];
  const options: ReaperOptions = {
    backend: {
      list: () => Promise.resolve(jobs),
      stop: ({ name }, how) => {
        stopped.push(`${name} ${how.reason} ${String(how.graceSeconds)}`);
        return Promise.resolve();
      },
    },
    store: {
      ownerOf: (directory) =>
        Promise.resolve(reservationKey({ ownerRunId: `run-of-${basename(directory)}`, purpose: 'train', opened: 1 })),
    },
    ledger: {
      liveAttempts: () => Promise.resolve(jobs.map(({ uid }) => ({ jobUid: uid, number: 1 }) as AttemptRecord)),
      changeAttempt: (key, { state }) => {
        changed.push([(key as AttemptRecord).jobUid, state]);
        return Promise.resolve(key as AttemptRecord);
      },
    },
    ownerStates: (runIds) => {
      asked.push([...runIds]);
      return Promise.resolve(new Map(Object.entries(owners).map(([name, state]) => [`run-of-${name}`, state])));
    },
    graceSeconds: 7,
    now: () => now,
    say: (line) => said.push(line),
    ...change,
  };
  const reaper: Reaper = startReaper(options);
  reapers.push(reaper);
  return { reaper, asked, stopped, changed, said };
}

test('stops what runs for nobody, gives it time to save, and records that it is cancelled; leaves the rest', async () => {
  const { reaper, asked, stopped, changed, said } = scene({
    mine: { kind: 'open' },
    theirs: longClosed,
    late: { kind: 'closed', closedAt: '2026-11-29T09:55:00.000Z' },
    strange: { kind: 'unknown' },
  });
  expect(await reaper.look()).toEqual([job('theirs')]);
  expect(stopped).toEqual(['theirs cancel 7']);
  expect(changed).toEqual([['uid of theirs', 'cancelled']]);
  expect(said).toEqual([expect.stringContaining('job theirs ran for nobody')]);
  expect(asked).toHaveLength(1);
});

test('told to judge it stops nothing, and says of each job whether it goes or stays', async () => {
  const { reaper, stopped, said } = scene({ mine: { kind: 'open' }, theirs: longClosed });
  expect(await reaper.judge({ stop: false })).toEqual([
    { job: job('mine'), decision: { kind: 'leave', because: 'owner-open' } },
    { job: job('theirs'), decision: { kind: 'stop', closedAt: '2026-11-29T09:00:00.000Z' } },
  ]);
  expect({ stopped, said }).toEqual({ stopped: [], said: [] });
});

test('told to judge and stop, it says what became of each stop, and waits no longer than that for one that saves', async () => {
  const stop = ({ name }: JobRef) =>
    name === 'saving'
      ? new Promise<void>(() => undefined)
      : name === 'hung'
        ? Promise.reject(new Error('it hangs'))
        : Promise.resolve();
  const list = () => Promise.resolve(['mine', 'gone', 'saving', 'hung'].map(job));
  const { reaper } = scene(
    { mine: { kind: 'open' }, gone: longClosed, saving: longClosed, hung: longClosed },
    { backend: { list, stop }, patienceSeconds: 0.05 },
  );
  const judged = await reaper.judge({ stop: true });
  expect(judged.map(({ job: { name }, outcome }) => [name, outcome])).toEqual([
    ['mine', undefined],
    ['gone', { kind: 'stopped' }],
    ['saving', { kind: 'stopping' }],
    ['hung', { kind: 'refused', because: 'it hangs' }],
  ]);
});

test('a job that is being stopped is asked once, however often somebody looks', async () => {
  const asked: string[] = [];
  let saved = (): void => undefined;
  const stop = ({ name }: JobRef) => {
    asked.push(name);
    return new Promise<void>((resolve) => {
      saved = resolve;
    });
  };
  const list = () => Promise.resolve([job('theirs')]);
  const { reaper } = scene({ theirs: longClosed }, { backend: { list, stop }, patienceSeconds: 0.05 });
  await reaper.judge({ stop: true });
  await reaper.judge({ stop: true });
  const look = reaper.look();
  saved();
  expect(await look).toEqual([job('theirs')]);
  expect(asked).toEqual(['theirs']);
  void reaper.look();
  await reaper.judge({ stop: true });
  expect(asked).toEqual(['theirs', 'theirs']); // it lives again: the stop before is over
});

test('a run that the server does not list keeps its job', async () => {
  const { reaper, stopped } = scene({ one: longClosed }, { ownerStates: () => Promise.resolve(new Map()) });
  expect(await reaper.look()).toEqual([]);
  expect(stopped).toEqual([]);
});

test('a directory without an owner is nobody’s business, and Temporal is not asked', async () => {
  const { reaper, asked, stopped } = scene({ one: longClosed }, { store: { ownerOf: () => Promise.resolve(null) } });
  expect(await reaper.look()).toEqual([]);
  expect({ asked, stopped }).toEqual({ asked: [], stopped: [] });
});

test('where Temporal cannot be reached nothing is stopped', async () => {
  const { reaper, stopped } = scene({ one: longClosed }, { ownerStates: () => Promise.reject(new Error('away')) });
  await expect(reaper.look()).rejects.toThrow('away');
  expect(stopped).toEqual([]);
});

test('one that is closed says nothing more, also of a look that is under way', async () => {
  const { reaper, stopped, said } = scene({ theirs: longClosed });
  const look = reaper.look();
  reaper.close();
  await look;
  expect({ stopped, said }).toEqual({ stopped: ['theirs cancel 7'], said: [] });
});

test('one that cannot be stopped keeps no other from its end', async () => {
  const stop = ({ name }: JobRef) => (name === 'hung' ? Promise.reject(new Error('it hangs')) : Promise.resolve());
  const list = () => Promise.resolve([job('hung'), job('other')]);
  const { reaper, said } = scene({ hung: longClosed, other: longClosed }, { backend: { list, stop } });
  expect(await reaper.look()).toEqual([job('other')]);
  expect(said).toContainEqual('job hung runs for nobody, and could not be stopped: it hangs');
});
