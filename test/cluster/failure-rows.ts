/**
 * Ways in which a job dies on Kubernetes, most frequent first, and what is to come of each. Rows that live on (waits) are
 * waits.test.ts, quota and images as pipelines cases.test.ts, nodes that stop lost-node.test.ts, roles roles.test.ts.
 */
import type { FailureClass } from '../../decisions/failure.ts';
import type { RetryDecision } from '../../decisions/retry.ts';
import type { Blow } from './blows.ts';

export interface FailureRow {
  /** Name of its pipeline and phase. */
  readonly id: string;
  readonly how: string;
  /** What attempt 1 runs in a shell, `train` being the trainer. @default trains until the blow */
  readonly runs?: string;
  /** In place of the shell, whatever the attempt. */
  readonly command?: readonly string[];
  /** What its pods ask for, as in a profile. */
  readonly needs?: Readonly<Record<string, unknown>>;
  /** Comes once attempt 1 has saved. */
  readonly blow?: Blow;
  /** Of its recipe. */
  readonly budgets?: object;
  readonly want: {
    readonly class: FailureClass;
    readonly charged: boolean;
    readonly then: RetryDecision['kind'];
    /** What is kept of attempt 1 says so, in whatever file of its directory. */
    readonly kept: RegExp;
    /** What a person is told. */
    readonly told: RegExp;
    readonly rank?: number;
    /** Where it was. */
    readonly step?: number;
    readonly change?: string;
  };
}

/** `tail` keeps what it was asked for in memory. */
const greedy = 'tail -c 500000000 /dev/zero';
const saysAndEnds = (line: string, code: number) => `echo '${line}'; exit ${String(code)}`;

export const failureRows: readonly FailureRow[] = [
  {
    id: 'deleted',
    how: '`kubectl delete pod` in the middle: it saves in its grace',
    blow: 'delete',
    want: { class: 'interrupted', charged: false, then: 'resume', kept: /"exitCode": 75/, told: /interrupted/ },
  },
  {
    id: 'deaf',
    how: 'deleted while it hangs: it does not save within its grace',
    blow: 'hang-and-delete',
    want: { class: 'interrupted', charged: false, then: 'resume', kept: /"exitCode": 137/, told: /interrupted/ },
  },
  {
    id: 'shell',
    how: 'deleted, and its first process is a shell that passes no signal on',
    runs: 'train; exit $?',
    blow: 'delete',
    want: {
      class: 'interrupted',
      charged: false,
      then: 'resume',
      kept: /"exitCode": 137/,
      told: /its pod was deleted .*went on from step \d+ as attempt 2; (no|\d+) steps? lost/,
    },
  },
  {
    id: 'evicted',
    how: 'evicted by the API, as a drain does',
    blow: 'evict',
    want: {
      class: 'evicted',
      charged: false,
      then: 'resume',
      kept: /EvictionByEvictionAPI/,
      told: /EvictionByEvictionAPI/,
    },
  },
  {
    id: 'preempted',
    how: 'preempted by a pod of a higher priority class',
    needs: { gpus: 8 },
    blow: 'preempt',
    want: {
      class: 'preempted',
      charged: false,
      then: 'resume',
      kept: /PreemptionByScheduler/,
      told: /PreemptionByScheduler/,
    },
  },
  {
    id: 'too-big',
    how: 'over its memory limit',
    runs: `exec ${greedy}`,
    needs: { memory: '100Mi' },
    want: { class: 'host-oom', charged: true, then: 'restart', change: 'memory', kept: /OOMKilled/, told: /OOMKilled/ },
  },
  {
    id: 'too-big-child',
    how: 'a child over its memory limit, and its parent ends with a code of its own',
    runs: `${greedy}; exit 9`,
    needs: { memory: '100Mi' },
    want: { class: 'host-oom', charged: true, then: 'restart', change: 'memory', kept: /OOMKilled/, told: /OOMKilled/ },
  },
  {
    id: 'killed',
    how: 'its process is killed, without a word of anybody',
    blow: 'kill-process',
    want: { class: 'killed', charged: true, then: 'resume', kept: /"exitCode": 137/, told: /killed.*137/ },
  },
  {
    id: 'force-deleted',
    how: 'its pod object is deleted by force, and vanishes without an end',
    blow: 'force-delete',
    want: {
      class: 'interrupted',
      charged: false,
      then: 'resume',
      kept: /PodDeleted|PodVanished/,
      told: /deleted|vanished/,
    },
  },
  {
    id: 'deadline',
    how: 'activeDeadlineSeconds of its Job is over',
    blow: 'deadline',
    want: {
      class: 'deadline',
      charged: true,
      then: 'resume',
      kept: /DeadlineExceeded/,
      told: /it ran into its deadline \(DeadlineExceeded\)/,
    },
  },
  {
    id: 'peer',
    how: 'the second of two ranks dies, and the first follows with words of its own',
    runs: `gone="\${TEMPER_REQUEST%/*}/checkpoints/gone"
if [ "$PET_NODE_RANK" = 1 ]; then touch "$gone"; exit 139; fi
until [ -e "$gone" ]; do sleep 0.1; done; sleep 1; echo 'RuntimeError: Connection reset by peer'; exit 1`,
    needs: { nodes: 2 },
    want: { class: 'crashed', charged: true, then: 'restart', rank: 1, kept: /"exitCode": 139/, told: /rank 1/ },
  },
  {
    id: 'xid',
    how: 'the driver reports an error of the GPU',
    runs: saysAndEnds('NVRM: Xid (PCI:0000:c7:00): 79, pid=812, GPU has fallen off the bus.', 1),
    want: {
      class: 'hardware',
      charged: true,
      then: 'restart',
      kept: /Xid \(PCI/,
      told: /hardware.*fallen off the bus/,
    },
  },
  {
    id: 'watchdog',
    how: 'SGLang’s watchdog ends it with 0, as the first process of its container',
    runs: saysAndEnds('TP0 watchdog timeout (self.watchdog_timeout=300, self.soft=False)', 0),
    want: {
      class: 'engine-watchdog',
      charged: true,
      then: 'restart',
      kept: /watchdog timeout/,
      told: /watchdog timeout/,
    },
  },
  {
    id: 'unproven',
    how: 'it ends with 0 and proves nothing: a second start that finds its work begun',
    runs: saysAndEnds('already started', 0),
    want: { class: 'unproven', charged: true, then: 'restart', kept: /already started/, told: /proves nothing/ },
  },
  {
    id: 'usage',
    how: 'the trainer refuses what it was asked',
    runs: saysAndEnds('error: unrecognized arguments: --bogus', 64),
    want: { class: 'config', charged: true, then: 'fail', kept: /"exitCode": 64/, told: /config/ },
  },
  {
    id: 'limited',
    how: 'a LimitRange refuses its pods',
    needs: { memory: '10Mi' },
    budgets: { startMinutes: 0.5 },
    want: {
      class: 'admission-denied',
      charged: true,
      then: 'hold',
      kept: /minimum memory usage per Container is 20Mi/,
      told: /minimum memory usage per Container is 20Mi/,
    },
  },
  {
    id: 'no-such-command',
    how: 'its command is not in the image',
    command: ['torchrum', '-m', 'temper_trainers'],
    want: {
      class: 'config',
      charged: true,
      then: 'fail',
      kept: /torchrum/,
      told: /its settings cannot work.*"torchrum": executable file not found/,
    },
  },
  {
    id: 'hangs',
    how: 'its pods run and its step stands still; a save before that, longer than a step may take, was not taken for it',
    runs: 'exec python "$TEMPER_STAND_IN/../hanging_trainer.py"',
    budgets: { stallMinutes: { training: 0.5 } },
    want: {
      class: 'stalled',
      charged: true,
      then: 'resume',
      step: 3,
      kept: /in wait_for_peer/,
      told: /A save took \d+ s, and graceSeconds[^]*hung: rank 0 at File ".*hanging_trainer.py", line \d+ in wait_for_peer/,
    },
  },
];
