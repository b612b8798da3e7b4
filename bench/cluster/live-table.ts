/** What many live phases cost, as a table: each number beside its bar, and then whose share it is. Pure. */
import { quantile } from '../measure-run.ts';
import { columns } from '../support/table.ts';
import { countRequests, isWrite } from './audit.ts';
import type { LivePhasesReport, Stretch } from './live-phases.ts';
import type { PhaseChange } from './phase-changes.ts';

/** What must be reached; where a number has no bar it is only told. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly bar: string;
  readonly isMet: boolean | null;
}

/** Phases start this fast at least, each minute. */
const startsBar = 300;
const memoryBar = 400;
const writesBar = 10;
const lostShareBar = 0.01;
/** What the time that a phase's change takes is held against: small for a real phase. */
const hoursOfPhase = 1;

const seconds = (milliseconds: number | null) =>
  milliseconds === null ? 'not seen' : `${(milliseconds / 1000).toFixed(2)} s`;

/** p50 and p99 of milliseconds, with the bar of the second in seconds. */
function delay(what: string, values: readonly number[], barSeconds: number | null): Row {
  const p99 = quantile(values, 0.99);
  return {
    what,
    measured: `p50 ${seconds(quantile(values, 0.5))}, p99 ${seconds(p99)} (n ${String(values.length)})`,
    bar: barSeconds === null ? '' : `p99 ≤ ${String(barSeconds)} s`,
    isMet: barSeconds === null || p99 === null ? null : p99 <= barSeconds * 1000,
  };
}

const between = (changes: readonly PhaseChange[], from: keyof PhaseChange, to: keyof PhaseChange) =>
  changes.map((change) => change[to] - change[from]);

export function rowsOf(report: LivePhasesReport): readonly Row[] {
  const { changes, ending, quiet, phases } = report;
  const perMinute = startsPerMinute(report.jobSeconds);
  const memory = ending.processes.get('worker')?.highestMemory ?? 0;
  const writes = ending.requests.filter(isWrite).length / Math.max(1, changes.length);
  const reads = (60 * quiet.requests.filter((request) => !isWrite(request)).length) / quiet.seconds;
  const lost = between(changes, 'jobEndedAt', 'nextJobAt');
  const share = mean(lost) / (hoursOfPhase * 3_600_000);
  return [
    delay('pod runs → the ledger says so', report.runningNoted.ending, 2),
    delay('the same while all start at once', report.runningNoted.filling, null),
    delay('Job has ended → its attempt is being judged', between(changes, 'jobEndedAt', 'judgedAt'), 2),
    delay('phase has ended → next Job created', between(changes, 'phaseEndedAt', 'nextJobAt'), 3),
    {
      what: 'API writes per attempt',
      measured: writes.toFixed(1),
      bar: `≤ ${String(writesBar)}`,
      isMet: writes <= writesBar,
    },
    {
      what: `API reads a minute with ${String(phases)} phases that only run`,
      measured: reads.toFixed(1),
      bar: 'whatever their number',
      isMet: null,
    },
    {
      what: 'memory of the worker, at its highest',
      measured: `${memory.toFixed(0)} MiB`,
      bar: `≤ ${String(memoryBar)} MiB`,
      isMet: memory <= memoryBar,
    },
    {
      what: 'phase starts a minute',
      measured: perMinute.toFixed(0),
      bar: `≥ ${String(startsBar)}`,
      isMet: perMinute >= startsBar,
    },
    {
      what: `GPU time lost to Temper, of phases of ${String(hoursOfPhase)} h`,
      measured: `${(100 * share).toFixed(3)} % (${seconds(mean(lost))} a phase)`,
      bar: `< ${String(100 * lostShareBar)} %`,
      isMet: share < lostShareBar,
    },
    {
      what: 'ends that nothing followed, Jobs that failed',
      measured: `${String(report.unanswered)}, ${String(report.failedJobs)}`,
      bar: '0, 0',
      isMet: report.unanswered === 0 && report.failedJobs === 0,
    },
  ];
}

/** From the first Job to the last: what comes before is the start of the first pipeline. */
function startsPerMinute(jobSeconds: readonly number[]): number {
  const [first = 0, last = 0] = [jobSeconds[0], jobSeconds.at(-1)];
  return last > first ? (60 * (jobSeconds.length - 1)) / (last - first) : 0;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The way from the end of one pod to the next pod, step by step. */
export function partsOf(changes: readonly PhaseChange[]): readonly Row[] {
  return [
    delay('pod has ended → Job has ended (Kubernetes)', between(changes, 'podEndedAt', 'jobEndedAt'), null),
    delay('→ the workflow is told (worker)', between(changes, 'jobEndedAt', 'toldAt'), null),
    delay('→ the attempt is being judged (Temporal, worker)', between(changes, 'toldAt', 'judgedAt'), null),
    delay('→ phase has ended (worker, Temporal)', between(changes, 'judgedAt', 'phaseEndedAt'), null),
    delay('→ next Job created (worker, Temporal)', between(changes, 'phaseEndedAt', 'nextJobAt'), null),
    delay('→ next pod runs (Kubernetes)', between(changes, 'nextJobAt', 'nextPodRunningAt'), null),
  ];
}

const verdict = ({ isMet }: Row) => (isMet === null ? '' : isMet ? 'met' : 'NOT MET');

export function liveTable(report: LivePhasesReport): string {
  const stretches = { filling: report.filling, quiet: report.quiet, ending: report.ending };
  return [
    columns([
      [`${String(report.phases)} live phases`, 'measured', 'bar', ''],
      ...rowsOf(report).map((row) => [row.what, row.measured, row.bar, verdict(row)]),
    ]),
    columns([
      ['from one pod to the next', 'measured'],
      ...partsOf(report.changes).map((row) => [row.what, row.measured]),
    ]),
    columns([
      ['the worker’s requests', 'number'],
      ...Object.entries(stretches).flatMap(([name, { requests }]) =>
        [...countRequests(requests)].map(([request, count]) => [`${name}: ${request}`, String(count)]),
      ),
    ]),
    processTable(stretches),
  ].join('\n\n');
}

/** Who had the machine's processors, as cores on average, and its memory at the end of each stretch. */
function processTable(stretches: Readonly<Record<string, Stretch>>): string {
  const all = Object.values(stretches);
  const names = [...new Set(all.flatMap(({ cpu }) => [...cpu.keys()]))];
  const cores = ({ cpu, seconds: lasted }: Stretch, name: string) => ((cpu.get(name) ?? 0) / lasted).toFixed(2);
  const memory = ({ processes }: Stretch, name: string) => (processes.get(name)?.memory ?? 0).toFixed(0);
  return columns([
    ['processes, as cores / MiB', ...Object.keys(stretches)],
    ...names.map((name) => [name, ...all.map((one) => `${cores(one, name)} / ${memory(one, name)}`)]),
    ['seconds', ...all.map(({ seconds: lasted }) => lasted.toFixed(0))],
    ['load of the machine at its end', ...all.map(({ load }) => load.toFixed(1))],
  ]);
}
