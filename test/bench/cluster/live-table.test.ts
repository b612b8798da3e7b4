import type { LivePhasesReport, Stretch } from '../../../bench/cluster/live-phases.ts';
import { liveTable, partsOf, rowsOf } from '../../../bench/cluster/live-table.ts';

const change = {
  podEndedAt: 0,
  jobEndedAt: 1000,
  toldAt: 1100,
  judgedAt: 1200,
  phaseEndedAt: 1500,
  nextJobAt: 2000,
  nextPodRunningAt: 2100,
};
const request = (verb: string) => ({ at: 0, user: 'worker', verb, resource: 'jobs' });
const stretch = (verbs: readonly string[], highestMemory = 300): Stretch => ({
  seconds: 60,
  requests: verbs.map(request),
  cpu: new Map([['worker', 30]]),
  load: 1,
  processes: new Map([['worker', { memory: 200, highestMemory, cpuSeconds: 30 }]]),
});

const good: LivePhasesReport = {
  phases: 3,
  jobSeconds: [1, 1.1, 1.3],
  runningNoted: { filling: [9000], ending: [100, 200] },
  filling: stretch([]),
  quiet: stretch(['watch']),
  ending: stretch(['create', 'patch', 'get', 'delete', 'create']),
  changes: [change, change],
  unanswered: 0,
  failedJobs: 0,
};

const verdicts = (report: LivePhasesReport) => rowsOf(report).map(({ isMet }) => isMet);

test('every bar is met', () => {
  expect(verdicts(good)).toEqual([true, null, true, true, true, null, true, true, true, true]);
  expect(liveTable(good)).not.toContain('NOT MET');
});

test.each<{ what: string; report: Partial<LivePhasesReport>; row: number; measured: RegExp }>([
  {
    what: 'a late note',
    report: { runningNoted: { filling: [], ending: [100, 2100] } },
    row: 0,
    measured: /p99 2\.10 s/,
  },
  { what: 'a late verdict', report: { changes: [{ ...change, judgedAt: 3100 }] }, row: 2, measured: /p99 2\.10 s/ },
  { what: 'a late next Job', report: { changes: [{ ...change, nextJobAt: 4600 }] }, row: 3, measured: /p99 3\.10 s/ },
  { what: 'many writes', report: { ending: stretch(Array<string>(22).fill('patch')) }, row: 4, measured: /^11\.0$/ },
  { what: 'a big worker', report: { ending: stretch([], 401) }, row: 6, measured: /^401 MiB$/ },
  { what: 'slow starts', report: { jobSeconds: [0, 30, 60] }, row: 7, measured: /^2$/ },
  { what: 'much time lost', report: { changes: [{ ...change, nextJobAt: 41_000 }] }, row: 8, measured: /^1\.111 %/ },
  { what: 'an end without a sequel', report: { unanswered: 1 }, row: 9, measured: /^1, 0$/ },
  { what: 'a Job that failed', report: { failedJobs: 1 }, row: 9, measured: /^0, 1$/ },
])('$what is not met', ({ report, row, measured }) => {
  const found = rowsOf({ ...good, ...report })[row];
  expect(found?.isMet).toBe(false);
  expect(found?.measured).toMatch(measured);
  expect(liveTable({ ...good, ...report })).toContain('NOT MET');
});

test('what was not measured has not been met', () => {
  expect(rowsOf({ ...good, changes: [] })[2]).toMatchObject({
    measured: expect.stringContaining('not seen') as string,
    isMet: null,
  });
});

test('the parts of a change add up to the way from pod to pod', () => {
  const parts = partsOf([change]).map(({ measured }) => Number(/p50 ([\d.]+) s/.exec(measured)?.[1]));
  expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(2.1);
});
