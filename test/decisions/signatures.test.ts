/** Excerpts are written for these tests after what the tools print (their own text, shortened), one per row of the table at least. */
import type { FailureClass } from '../../decisions/failure.ts';
import { hintFrom, lastError, launcherVerdict } from '../../decisions/signatures.ts';

const nccl =
  '[rank3]:[E1129 10:00:00.1 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=418, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.';

test.each<{ title: string; log: string; want: FailureClass; weight?: string }>([
  { title: 'NCCL watchdog', log: `step 417\n${nccl}`, want: 'nccl-watchdog', weight: 'symptom' },
  {
    title: 'NCCL watchdog thread',
    log: '[PG ID 0] NCCL watchdog thread terminated with exception: timeout',
    want: 'nccl-watchdog',
  },
  {
    title: 'NCCL takes the process down',
    log: 'To avoid data inconsistency, we are taking the entire process down.',
    want: 'nccl-watchdog',
  },
  {
    title: 'NCCL heartbeat',
    log: 'Heartbeat monitor timed out! Process will be terminated after dumping debug info. workMetaList_.size()=1',
    want: 'nccl-watchdog',
  },
  {
    title: 'NCCL watchdog stuck',
    log: "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress",
    want: 'nccl-watchdog',
  },
  {
    title: 'NCCL remote error',
    log: 'torch.distributed.DistBackendError: NCCL error: ncclRemoteError: A call failed',
    want: 'nccl-watchdog',
  },
  {
    title: 'NCCL system error',
    log: 'NCCL WARN Call failed: unhandled system error (run with NCCL_DEBUG=INFO)',
    want: 'nccl-watchdog',
  },
  {
    title: 'SGLang watchdog',
    log: '[2026-11-29 10:00:00 TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)',
    want: 'engine-watchdog',
  },
  {
    title: 'older SGLang watchdog',
    log: '[10:00:00 TP0] Watchdog timeout (self.watchdog_timeout=300)',
    want: 'engine-watchdog',
  },
  {
    title: 'SGLang parent',
    log: 'Received sigquit from a child process. It usually means the child failed.',
    want: 'engine-dead',
  },
  {
    title: 'older SGLang parent',
    log: 'Received sigquit from a child proces. It usually means the child failed.',
    want: 'engine-dead',
  },
  {
    title: 'vLLM engine dead',
    log: 'vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
    want: 'engine-dead',
  },
  {
    title: 'vLLM engine does not start',
    log: 'RuntimeError: Engine core initialization failed. See root cause above.',
    want: 'engine-dead',
  },
  {
    title: 'Ray actor',
    log: 'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
    want: 'ray-lost',
  },
  {
    title: 'Ray worker',
    log: 'Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits',
    want: 'ray-lost',
  },
  {
    title: 'Ray node',
    log: 'The node with node id: 3f and address: 10.0.0.3 has been marked dead because the detector has missed too many heartbeats from it.',
    want: 'ray-lost',
  },
  {
    title: 'CUDA out of memory',
    log: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.',
    want: 'gpu-oom',
    weight: 'cause',
  },
  { title: 'CUDA allocation', log: 'RuntimeError: CUDA error: out of memory', want: 'gpu-oom' },
  {
    title: 'cache blocks of an engine',
    log: 'ValueError: No available memory for the cache blocks. Try increasing gpu_memory_utilization',
    want: 'gpu-oom',
  },
  {
    title: 'static memory of SGLang',
    log: 'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.',
    want: 'gpu-oom',
  },
  {
    title: 'an out-of-memory that a script swallowed',
    log: '[OOM] OOM escaped training_step at 12. Exiting gracefully.',
    want: 'gpu-oom',
  },
  {
    title: 'host memory, told by Ray',
    log: 'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.',
    want: 'host-oom',
  },
  {
    title: 'host memory, told by the kernel',
    log: 'Out of memory: Killed process 4242 (python) total-vm:12345kB',
    want: 'host-oom',
  },
  {
    title: 'host memory, told by PyTorch',
    log: "RuntimeError: [enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: can't allocate memory",
    want: 'host-oom',
  },
  {
    title: 'a data loader that was killed',
    log: 'RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed.',
    want: 'host-oom',
  },
  {
    title: 'shared memory of a data loader',
    log: 'ERROR: Unexpected bus error\nRuntimeError: DataLoader worker (pid 77) is killed by signal: Bus error.',
    want: 'shm-too-small',
  },
  {
    title: 'shared memory of torch',
    log: 'RuntimeError: unable to open shared memory object </torch_1_2_3> in read-write mode',
    want: 'shm-too-small',
  },
  {
    title: 'shared memory of NCCL, though it says the device is full',
    log: 'NCCL WARN Error while creating shared memory segment /dev/shm/nccl-abc (size 9637888), error: No space left on device (28)',
    want: 'shm-too-small',
  },
  { title: 'disk full', log: 'OSError: [Errno 28] No space left on device', want: 'disk-full' },
  {
    title: 'disk full, told by safetensors',
    log: 'SafetensorError: Error while serializing: I/O error: No space left on device (os error 28)',
    want: 'disk-full',
  },
  {
    title: "disk full, in torch's own words",
    log: 'RuntimeError: basic_ios::clear: iostream error',
    want: 'disk-full',
  },
  {
    title: 'disk full, in the words of its zip writer',
    log: 'RuntimeError: PytorchStreamWriter failed writing file data/0: file write failed',
    want: 'disk-full',
  },
  { title: 'a disk quota', log: 'OSError: [Errno 122] Disk quota exceeded', want: 'disk-full' },
  {
    title: 'Xid of a GPU that fell off the bus',
    log: "NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', GPU has fallen off the bus.",
    want: 'hardware',
  },
  { title: 'Xid of a double-bit error', log: 'NVRM: Xid (PCI:0000:17:00): 48, pid=1', want: 'hardware' },
  { title: 'Xid of an application', log: 'NVRM: Xid (PCI:0000:17:00): 31, pid=1, Ch 00000008', want: 'crashed' },
  {
    title: 'an uncorrectable ECC error',
    log: 'RuntimeError: CUDA error: uncorrectable ECC error encountered',
    want: 'hardware',
  },
  { title: 'no GPU', log: 'RuntimeError: No CUDA GPUs are available', want: 'hardware' },
  {
    title: 'an illegal access, though the NCCL watchdog reports it',
    log: 'NCCL watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered',
    want: 'crashed',
  },
  { title: 'a device-side assert', log: 'RuntimeError: CUDA error: device-side assert triggered', want: 'crashed' },
  { title: 'NaN in a log of numbers', log: "{'loss': 0.5, 'grad_norm': nan, 'epoch': 0.1}", want: 'not-finite' },
  {
    title: 'NaN that Megatron counts',
    log: ' number of skipped iterations: 0 | number of nan iterations: 1 |',
    want: 'not-finite',
  },
  { title: 'a loss that is NaN', log: 'RuntimeError: Loss is NaN at step 12', want: 'not-finite' },
  {
    title: 'a gated model',
    log: 'huggingface_hub.errors.GatedRepoError: 403 Client Error. Cannot access gated repo for url',
    want: 'auth',
  },
  {
    title: 'a private model without a token',
    log: 'huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error.',
    want: 'auth',
  },
  { title: 'a token that is wrong', log: 'ValueError: Invalid user token.', want: 'auth' },
  {
    title: 'a hub that refuses',
    log: 'requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url',
    want: 'auth',
  },
  { title: 'a hub that is busy', log: 'HfHubHTTPError: 429 Client Error: Too Many Requests for url', want: 'network' },
  {
    title: 'a hub that is broken',
    log: 'HfHubHTTPError: 503 Server Error: Service Unavailable for url',
    want: 'network',
  },
  {
    title: 'a hub out of reach',
    log: 'huggingface_hub.errors.LocalEntryNotFoundError: An error happened while trying to locate the file on the Hub',
    want: 'network',
  },
  {
    title: 'a time-out',
    log: "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='hub', port=443): Read timed out.",
    want: 'network',
  },
  {
    title: 'a name that does not resolve',
    log: 'socket.gaierror: [Errno -3] Temporary failure in name resolution',
    want: 'network',
  },
  {
    title: 'a dataset that is not there',
    log: "datasets.exceptions.DatasetNotFoundError: Dataset 'x' doesn't exist on the Hub",
    want: 'data-missing',
  },
  {
    title: 'a file of a model that is not there',
    log: 'huggingface_hub.errors.EntryNotFoundError: 404 Client Error.',
    want: 'data-missing',
  },
  {
    title: 'a revision that is not there',
    log: 'huggingface_hub.errors.RevisionNotFoundError: 404 Client Error.',
    want: 'data-missing',
  },
  {
    title: 'a file that is not there',
    log: "FileNotFoundError: [Errno 2] No such file or directory: '/data/train.jsonl'",
    want: 'data-missing',
  },
  {
    title: 'an argument that is gone',
    log: "TypeError: GRPOConfig.__init__() got an unexpected keyword argument 'max_prompt_length'",
    want: 'config',
  },
  { title: 'a trainer that moved', log: "ImportError: cannot import name 'ORPOTrainer' from 'trl'", want: 'config' },
  { title: 'a name that is undefined', log: "NameError: name 'tokenizer' is not defined", want: 'config' },
  {
    title: 'a batch that does not divide',
    log: 'ValueError: generation_batch_size (1) must be divisible by num_generations (2).',
    want: 'config',
  },
  {
    title: 'a chat template that is missing',
    log: 'ValueError: Cannot use chat template functions because tokenizer.chat_template is not set',
    want: 'config',
  },
  {
    title: 'a LoRA that is too large',
    log: 'ValueError: LoRA rank 64 is greater than max_lora_rank 16.',
    want: 'config',
  },
  {
    title: 'a file that may not be written',
    log: "PermissionError: [Errno 13] Permission denied: '/store/x'",
    want: 'config',
  },
  {
    title: 'a driver that is too old',
    log: 'RuntimeError: The NVIDIA CUDA driver version is insufficient for CUDA runtime version',
    want: 'config',
  },
  {
    title: 'a peer that is gone',
    log: 'RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:4242',
    want: 'network',
    weight: 'cascade',
  },
  {
    title: 'a connection that was reset',
    log: 'ConnectionResetError: [Errno 104] Connection reset by peer',
    want: 'network',
    weight: 'cascade',
  },
  {
    title: 'torchrun that was told to stop',
    log: 'torch.distributed.elastic.multiprocessing.api.SignalException: Process 12 got signal: 15',
    want: 'interrupted',
    weight: 'cascade',
  },
])('$title: $want', ({ log, want, weight }) => {
  const hint = hintFrom(log.split('\n'));
  expect(hint?.class).toBe(want);
  if (weight !== undefined) expect(hint?.weight).toBe(weight);
  expect(log).toContain(hint?.line ?? 'no line');
});

test.each<{ title: string; log: string }>([
  { title: 'an empty log', log: '' },
  {
    title: 'numbers of a training that goes well',
    log: "{'loss': 0.5, 'grad_norm': 1.2}\n{'loss': 0.4, 'entropy': 0.429}",
  },
  { title: 'words that merely contain nan', log: 'loss is nannying along; grad_norm: 0.1; finance: ok' },
  { title: 'an exception that no row knows', log: 'ValueError: the moon is in the wrong phase' },
  {
    title: 'a checkpoint that is torn: that is for the resume point',
    log: "FileNotFoundError: [Errno 2] No such file: '/o/checkpoint-25/trainer_state.json'",
  },
  { title: 'a step whose number looks like a status', log: 'step 429 of 503, 401 samples' },
  { title: 'a notice about the watchdog at start', log: 'TORCH_NCCL_ENABLE_MONITORING=1, heartbeat timeout 480 s' },
])('$title stays unknown', ({ log }) => {
  expect(hintFrom(log.split('\n'))).toBeNull();
});

test('a cause that stands after its symptom is still the hint', () => {
  expect(hintFrom([nccl, 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'])?.class).toBe(
    'gpu-oom',
  );
});

const torchrun = `
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-29_10:00:05
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 4241)
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-29_10:00:00
  host      : node-3
  rank      : 3 (local_rank: 3)
  exitcode  : -9 (pid: 4242)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 4242
`.split('\n');

test("torchrun's own verdict names the rank that failed first and how", () => {
  expect(launcherVerdict(torchrun)).toEqual({ rank: 3, exitCode: -9, line: 'exitcode  : -9 (pid: 4242)' });
});

test.each([
  { title: 'no block', lines: ['exitcode  : -9 (pid: 1)'] },
  { title: 'a block that is cut off', lines: ['Root Cause (first observed failure):', '[0]:'] },
])('torchrun says nothing with $title', ({ lines }) => {
  expect(launcherVerdict(lines)).toBeNull();
});

test.each([
  {
    lines: ['Traceback (most recent call last):', '  File "a.py", line 1', 'ValueError: no moon', ''],
    want: 'ValueError: no moon',
  },
  { lines: ['my.module.StrangeError: x', 'bye'], want: 'my.module.StrangeError: x' },
  { lines: ['fatal: not a repository'], want: 'fatal: not a repository' },
  { lines: ['all is well', 'errors seen: 0'], want: null },
])('the last error line of $lines', ({ lines, want }) => {
  expect(lastError(lines)).toBe(want);
});
