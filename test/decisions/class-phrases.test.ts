import { type ClassReason, type Evidence, type FailureClass, failureClasses } from '../../decisions/failure.ts';
import type { Doing } from '../../decisions/states.ts';
import { whatFailed } from '../../decisions/what-happened.ts';
import { evidence, incident, progress } from '../support/builders.ts';

const ncclLine =
  '[rank5]:[E1129 03:12:00.113 ProcessGroupNCCL.cpp:616] [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1234, OpType=_ALLGATHER_BASE, NumelIn=1, NumelOut=8, Timeout(ms)=1800000) ran for 1800032 milliseconds before timing out.';
const xidLine = 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.';

/** The last 50 steps of an attempt 2 that went on from step 400, on one node. */
const asked = { targetStep: 500, resume: { path: '/store/checkpoint-400', step: 400, digest: null } };
const running = (change: Partial<Evidence> = {}) =>
  evidence()
    .asked(asked)
    .withoutResult()
    .but({ lastProgress: progress('training', { step: 418, of: 500 }), ...change });

interface Row {
  readonly name: FailureClass;
  readonly because: ClassReason;
  readonly lines?: readonly string[];
  readonly doing?: Doing;
  readonly want: string;
}

const of = (line: string, rank = 0): ClassReason => ({ rule: 'log-line', rank, line });
const reason = (word: string): ClassReason => ({ rule: 'backend-reason', rank: 0, reason: word, node: 'gpu-7' });
const stop = (why: 'cancel' | 'stalled' | 'deadline' | 'preempted' | 'queue-evicted' | 'node-lost'): ClassReason => ({
  rule: 'stopped-by-temper',
  why,
});

const rows: readonly Row[] = [
  {
    name: 'preempted',
    because: reason('PreemptionByScheduler'),
    want: 'preempted by a pod of higher priority at step 418',
  },
  {
    name: 'preempted',
    because: stop('preempted'),
    want: 'preempted at step 418: its queue gave its place to another job',
  },
  {
    name: 'evicted',
    because: reason('EvictionByEvictionAPI'),
    want: 'evicted through the API at step 418, as a drain of its node does',
  },
  { name: 'evicted', because: reason('SomethingNew'), want: 'evicted (SomethingNew) at step 418' },
  { name: 'node-lost', because: reason('NodeUnreachable'), want: 'the node did not answer any more at step 418' },
  {
    name: 'node-lost',
    because: reason('DeletionByTaintManager'),
    want: 'its pod was deleted at step 418, the node was not ready for too long',
  },
  { name: 'interrupted', because: stop('cancel'), want: 'stopped by Temper (cancel) at step 418' },
  {
    name: 'interrupted',
    because: { rule: 'exit-code', rank: 0, exitCode: 75 },
    want: 'rank 0 was told to stop, and did in order (exit code 75) at step 418',
  },
  {
    name: 'interrupted',
    because: { rule: 'exit-code', rank: 0, exitCode: 143 },
    want: 'rank 0 was told to stop (SIGTERM) at step 418',
  },
  {
    name: 'nccl-watchdog',
    because: of(ncclLine),
    want: 'NCCL watchdog on rank 5 after 1,800 s in all-gather at step 418',
  },
  {
    name: 'nccl-watchdog',
    because: of('NCCL watchdog thread terminated with exception'),
    lines: [ncclLine.replace('_ALLGATHER_BASE', 'ALLREDUCE')],
    want: 'NCCL watchdog on rank 5 after 1,800 s in all-reduce at step 418',
  },
  {
    name: 'nccl-watchdog',
    because: of("ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress"),
    want: 'NCCL heartbeat on rank 0 after 480 s at step 418',
  },
  {
    name: 'nccl-watchdog',
    because: of('torch.distributed.DistBackendError: NCCL error: ncclRemoteError', 3),
    want: 'NCCL error on rank 3 at step 418 ("torch.distributed.DistBackendError: NCCL error: ncclRemoteError")',
  },
  {
    name: 'engine-watchdog',
    because: {
      rule: 'log-line',
      rank: 4,
      role: { name: 'engine', index: 1 },
      line: 'TP0 watchdog timeout (self.watchdog_timeout=300, self.soft=False)',
    },
    doing: 'generating',
    want: 'SGLang watchdog on engine 1 after 300 s at step 418',
  },
  {
    name: 'engine-dead',
    because: { rule: 'exit-code', rank: 4, role: { name: 'engine', index: 0 }, exitCode: 0 },
    want: 'engine 0 died (exit code 0) at step 418',
  },
  {
    name: 'engine-dead',
    because: of('vllm.v1.engine.exceptions.EngineDeadError'),
    want: 'the rollout engine died at step 418 ("vllm.v1.engine.exceptions.EngineDeadError")',
  },
  {
    name: 'ray-lost',
    because: of('ray.exceptions.ActorDiedError: The actor died'),
    want: 'Ray lost a worker at step 418 ("ray.exceptions.ActorDiedError: The actor died")',
  },
  { name: 'stalled', because: stop('stalled'), doing: 'saving', want: 'stalled while saving at step 418' },
  {
    name: 'killed',
    because: { rule: 'exit-code', rank: 0, exitCode: 137 },
    want: 'rank 0 was killed by SIGKILL at step 418',
  },
  { name: 'killed', because: of('exitcode  : -9 (pid: 77)', 2), want: 'rank 2 was killed by SIGKILL at step 418' },
  {
    name: 'killed',
    because: { rule: 'end-unseen', rank: 0, began: true },
    want: 'rank 0 ended unseen at step 418: what watched it died too',
  },
  {
    name: 'crashed',
    because: { rule: 'signal', rank: 1, signal: 'SIGSEGV' },
    want: 'rank 1 crashed with SIGSEGV at step 418',
  },
  {
    name: 'crashed',
    because: of('CUDA error: device-side assert triggered'),
    want: 'rank 0 crashed at step 418 ("CUDA error: device-side assert triggered")',
  },
  {
    name: 'network',
    because: of('429 Client Error: Too Many Requests'),
    want: 'rank 0 could not reach the network at step 418 ("429 Client Error: Too Many Requests")',
  },
  {
    name: 'gpu-oom',
    because: of('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has', 2),
    want: 'rank 2 ran out of GPU memory (tried to allocate 2.00 GiB) at step 418',
  },
  {
    name: 'gpu-oom',
    because: of('No available memory for the cache blocks'),
    want: 'rank 0 ran out of GPU memory at step 418 ("No available memory for the cache blocks")',
  },
  {
    name: 'host-oom',
    because: reason('OOMKilled'),
    want: 'rank 0 was killed at its memory limit (OOMKilled) at step 418',
  },
  { name: 'host-oom', because: of('MemoryError'), want: 'rank 0 ran out of memory at step 418 ("MemoryError")' },
  {
    name: 'shm-too-small',
    because: of('unable to open shared memory object'),
    want: '/dev/shm was too small for rank 0 at step 418 ("unable to open shared memory object")',
  },
  {
    name: 'disk-full',
    because: { rule: 'store-full', freeBytes: 3 * 2 ** 20 },
    want: 'the store was full at step 418: 3 MiB were left',
  },
  {
    name: 'disk-full',
    because: reason('Evicted'),
    lines: ['The node was low on resource: ephemeral-storage.'],
    want: 'the disk of the node was full (Evicted) at step 418 ("The node was low on resource: ephemeral-storage.")',
  },
  {
    name: 'not-finite',
    because: { rule: 'metrics-not-finite', metric: 'grad_norm' },
    want: 'grad_norm was not a finite number at step 418',
  },
  {
    name: 'resume-damaged',
    because: { rule: 'checkpoint-damaged', path: '/store/checkpoint-400', why: 'optimizer.pt cannot be read' },
    want: 'the checkpoint that it was to go on from is damaged at step 418 (/store/checkpoint-400: optimizer.pt cannot be read)',
  },
  {
    name: 'start-damaged',
    because: { rule: 'checkpoint-damaged', path: '/store/base', why: 'its digest differs' },
    want: 'the checkpoint that the phase starts from is damaged at step 418 (/store/base: its digest differs)',
  },
  { name: 'hardware', because: of(xidLine), want: 'Xid 79 (GPU has fallen off the bus) at step 418' },
  {
    name: 'hardware',
    because: reason('UnexpectedAdmissionError'),
    want: 'the node could not give rank 0 its devices (UnexpectedAdmissionError) at step 418',
  },
  {
    name: 'unschedulable',
    because: reason('Unschedulable'),
    want: 'it never started, no node had room for it (Unschedulable)',
  },
  { name: 'quota', because: { rule: 'no-result' }, want: 'it never started, the quota was used up' },
  { name: 'queue-evicted', because: stop('queue-evicted'), want: 'its queue took its place away at step 418' },
  {
    name: 'image-pull',
    because: reason('ErrImagePull'),
    want: 'it never started, its image could not be pulled (ErrImagePull)',
  },
  {
    name: 'mount',
    because: reason('FailedMount'),
    want: 'it never started, a volume could not be mounted (FailedMount)',
  },
  {
    name: 'sandbox',
    because: reason('FailedCreatePodSandBox'),
    want: 'it never started, the node could not make its sandbox (FailedCreatePodSandBox)',
  },
  {
    name: 'half-scheduled',
    because: { rule: 'no-result' },
    want: 'it never started, only some of its pods found a node',
  },
  {
    name: 'config',
    because: { rule: 'trainer-said', reason: 'config', message: 'max_length is 0' },
    want: 'its settings cannot work at step 418 ("max_length is 0")',
  },
  {
    name: 'config',
    because: reason('CreateContainerConfigError'),
    want: 'its settings cannot work (CreateContainerConfigError) at step 418',
  },
  {
    name: 'config',
    because: { rule: 'exit-code', rank: 0, exitCode: 64 },
    want: 'rank 0 ended with exit code 64 at step 418',
  },
  {
    name: 'auth',
    because: of('GatedRepoError: 403'),
    want: 'it was refused access at step 418 ("GatedRepoError: 403")',
  },
  {
    name: 'data-missing',
    because: { rule: 'trainer-said', reason: 'data', message: 'no such file: sums.jsonl' },
    want: 'data or model is not there at step 418 ("no such file: sums.jsonl")',
  },
  { name: 'admission-denied', because: reason('Forbidden'), want: 'the cluster refused it (Forbidden) at step 418' },
  {
    name: 'no-progress',
    because: { rule: 'no-step-trained', startStep: 400, targetStep: 500 },
    want: 'no progress at step 418: it says it is done but trained no step (it started at step 400 of 500)',
  },
  {
    name: 'resume-mismatch',
    because: { rule: 'started-at-step', want: 400, was: 0 },
    want: 'not resumed as it was told at step 418: it was told to start at step 400 and started at step 0',
  },
  {
    name: 'unproven',
    because: { rule: 'no-result' },
    want: 'ended without proof at step 418: it ended without a result, and an exit code alone proves nothing',
  },
  {
    name: 'job-lost',
    because: { rule: 'vanished' },
    want: 'the job is gone at step 418: it left neither a result nor a record of its end',
  },
  { name: 'deadline', because: stop('deadline'), want: 'it ran into its deadline at step 418' },
  {
    name: 'unknown',
    because: of('RuntimeError: the unforeseen', 1),
    want: 'rank 1 failed at step 418 ("RuntimeError: the unforeseen")',
  },
  {
    name: 'unknown',
    because: { rule: 'exit-code', rank: 0, exitCode: 3 },
    want: 'rank 0 ended with exit code 3 at step 418',
  },
];

test.each(rows)('$name: $want', ({ name, because, lines = [], doing = 'training', want }) => {
  const rank = 'rank' in because ? because.rank : null;
  const seen = incident(name, { attempt: 2, because, rank, node: 'gpu-7', step: 418 }).build(2);
  // What never started has not said anything.
  const said = want.startsWith('it never started')
    ? { lastProgress: null, newestCompleteStep: null }
    : { lastProgress: progress(doing, { step: 418 }) };
  const known = running(said).ranks({ node: 'gpu-7', lastLines: lines });
  expect(whatFailed({ purpose: 'train', incident: seen, evidence: known.build() })).toBe(
    `attempt 2, node gpu-7: ${want}`,
  );
});

test('every class has its words', () => {
  expect(failureClasses.filter((name) => rows.every((row) => row.name !== name))).toEqual([]);
});
