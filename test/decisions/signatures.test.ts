/** Excerpts are written for these tests after what the tools print (their own text, shortened), one per row of the table at least. */
import type { FailureClass } from '../../decisions/failure.ts';
import { hintFrom, lastError, launcherVerdict } from '../../decisions/signatures.ts';

const nccl =
  '[rank3]:[E1129 10:00:00.1 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=418, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.';

/** What each log is a hint of, by what it shows. */
const excerpts: Partial<Record<FailureClass, Record<string, string>>> = {
  'nccl-watchdog': {
    'NCCL watchdog': `step 417\n${nccl}`,
    'NCCL watchdog thread': '[PG ID 0] NCCL watchdog thread terminated with exception: timeout',
    'NCCL takes the process down': 'To avoid data inconsistency, we are taking the entire process down.',
    'NCCL heartbeat':
      'Heartbeat monitor timed out! Process will be terminated after dumping debug info. workMetaList_.size()=1',
    'NCCL watchdog stuck': "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress",
    'NCCL remote error': 'torch.distributed.DistBackendError: NCCL error: ncclRemoteError: A call failed',
    'NCCL lost its socket': 'transport/net_socket.cc:474 NCCL WARN NET/Socket : peer 10.0.0.3 Socket recv failed',
    'NCCL system error': 'NCCL WARN Call failed: unhandled system error (run with NCCL_DEBUG=INFO)',
  },
  'engine-watchdog': {
    'SGLang watchdog':
      '[2026-11-29 10:00:00 TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)',
    'older SGLang watchdog': '[10:00:00 TP0] Watchdog timeout (self.watchdog_timeout=300)',
  },
  'engine-dead': {
    'SGLang parent': 'Received sigquit from a child process. It usually means the child failed.',
    'older SGLang parent': 'Received sigquit from a child proces. It usually means the child failed.',
    'vLLM engine dead':
      'vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
    'vLLM engine does not start': 'RuntimeError: Engine core initialization failed. See root cause above.',
  },
  'ray-lost': {
    'Ray actor': 'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
    'Ray worker': 'Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits',
    'Ray node':
      'The node with node id: 3f and address: 10.0.0.3 has been marked dead because the detector has missed too many heartbeats from it.',
  },
  'gpu-oom': {
    'CUDA out of memory': 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.',
    'CUDA allocation': 'RuntimeError: CUDA error: out of memory',
    'cache blocks of an engine':
      'ValueError: No available memory for the cache blocks. Try increasing gpu_memory_utilization',
    'static memory of SGLang': 'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.',
    'an out-of-memory that a script swallowed': '[OOM] OOM escaped training_step at 12. Exiting gracefully.',
  },
  'host-oom': {
    'host memory, told by Ray':
      'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.',
    'host memory, told by the kernel': 'Out of memory: Killed process 4242 (python) total-vm:12345kB',
    'host memory, told by PyTorch':
      "RuntimeError: [enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: can't allocate memory",
    'a data loader that was killed': 'RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed.',
  },
  'shm-too-small': {
    'shared memory of a data loader': `ERROR: Unexpected bus error
RuntimeError: DataLoader worker (pid 77) is killed by signal: Bus error.`,
    'shared memory of torch': 'RuntimeError: unable to open shared memory object </torch_1_2_3> in read-write mode',
    'shared memory of NCCL, though it says the device is full':
      'NCCL WARN Error while creating shared memory segment /dev/shm/nccl-abc (size 9637888), error: No space left on device (28)',
  },
  'disk-full': {
    'disk full': 'OSError: [Errno 28] No space left on device',
    'disk full, told by safetensors':
      'SafetensorError: Error while serializing: I/O error: No space left on device (os error 28)',
    "disk full, in torch's own words": 'RuntimeError: basic_ios::clear: iostream error',
    'disk full, in the words of its zip writer':
      'RuntimeError: PytorchStreamWriter failed writing file data/0: file write failed',
    'a disk quota': 'OSError: [Errno 122] Disk quota exceeded',
  },
  hardware: {
    'Xid of a GPU that fell off the bus':
      "NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', GPU has fallen off the bus.",
    'Xid of a double-bit error': 'NVRM: Xid (PCI:0000:17:00): 48, pid=1',
    'an uncorrectable ECC error': 'RuntimeError: CUDA error: uncorrectable ECC error encountered',
    'no GPU': 'RuntimeError: No CUDA GPUs are available',
  },
  crashed: {
    'Xid of an application': 'NVRM: Xid (PCI:0000:17:00): 31, pid=1, Ch 00000008',
    'an illegal access, though the NCCL watchdog reports it':
      'NCCL watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered',
    'a device-side assert': 'RuntimeError: CUDA error: device-side assert triggered',
  },
  'not-finite': {
    'NaN in a log of numbers': "{'loss': 0.5, 'grad_norm': nan, 'epoch': 0.1}",
    'NaN that Megatron counts': ' number of skipped iterations: 0 | number of nan iterations: 1 |',
    'a loss that is NaN': 'RuntimeError: Loss is NaN at step 12',
    'a result that Megatron does not believe':
      "RuntimeError: Unexpected result nan on rank 0 at iteration #12 invocation #1 (message='found NaN in local grad norm for bucket #0 in backward pass')",
  },
  'resume-damaged': {
    'weights that are cut':
      'safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not fully covered',
    'a state that is cut':
      'RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory',
    'a folder without weights': "ValueError: Can't find a valid checkpoint at /o/checkpoint-25",
    'a state that is no pickle': "_pickle.UnpicklingError: invalid load key, '\\x00'.",
  },
  auth: {
    'a gated model': 'huggingface_hub.errors.GatedRepoError: 403 Client Error. Cannot access gated repo for url',
    'a private model without a token': 'huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error.',
    'a token that is wrong': 'ValueError: Invalid user token.',
    'a hub that refuses': 'requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url',
  },
  network: {
    'a hub that is busy': 'HfHubHTTPError: 429 Client Error: Too Many Requests for url',
    'a hub that is broken': 'HfHubHTTPError: 503 Server Error: Service Unavailable for url',
    'a hub out of reach':
      'huggingface_hub.errors.LocalEntryNotFoundError: An error happened while trying to locate the file on the Hub',
    'a time-out': "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='hub', port=443): Read timed out.",
    'a name that does not resolve': 'socket.gaierror: [Errno -3] Temporary failure in name resolution',
    'a peer that is gone': 'RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:4242',
    'a connection that was reset': 'ConnectionResetError: [Errno 104] Connection reset by peer',
  },
  'data-missing': {
    'a dataset that is not there': "datasets.exceptions.DatasetNotFoundError: Dataset 'x' doesn't exist on the Hub",
    'a file of a model that is not there': 'huggingface_hub.errors.EntryNotFoundError: 404 Client Error.',
    'a revision that is not there': 'huggingface_hub.errors.RevisionNotFoundError: 404 Client Error.',
    'a file that is not there': "FileNotFoundError: [Errno 2] No such file or directory: '/data/train.jsonl'",
  },
  config: {
    'an argument that is gone':
      "TypeError: GRPOConfig.__init__() got an unexpected keyword argument 'max_prompt_length'",
    'a trainer that moved': "ImportError: cannot import name 'ORPOTrainer' from 'trl'",
    'a name that is undefined': "NameError: name 'tokenizer' is not defined",
    'a batch that does not divide': 'ValueError: generation_batch_size (1) must be divisible by num_generations (2).',
    'a chat template that is missing':
      'ValueError: Cannot use chat template functions because tokenizer.chat_template is not set',
    'a tokenizer that grew without its embedding':
      'size mismatch for model.embed_tokens.weight: copying a param with shape torch.Size([284, 64]) from checkpoint',
    'a template that cannot be rendered': 'jinja2.exceptions.TemplateError: Conversation roles must alternate',
    'a filesystem that is read-only': "OSError: [Errno 30] Read-only file system: '/store/x'",
    'a build for other GPUs': 'RuntimeError: CUDA error: no kernel image is available for execution on the device',
    'a LoRA that is too large': 'ValueError: LoRA rank 64 is greater than max_lora_rank 16.',
    'a file that may not be written': "PermissionError: [Errno 13] Permission denied: '/store/x'",
    'a driver that is too old': 'RuntimeError: The NVIDIA CUDA driver version is insufficient for CUDA runtime version',
  },
  interrupted: {
    'torchrun that was told to stop':
      'torch.distributed.elastic.multiprocessing.api.SignalException: Process 12 got signal: 15',
  },
};
const rows = Object.entries(excerpts).flatMap(([want, logs]) =>
  Object.entries(logs).map(([title, log]) => ({ want, title, log })),
);

test.each(rows)('$title: $want', ({ log, want }) => {
  const hint = hintFrom(log.split('\n'));
  expect(hint?.class).toBe(want);
  expect(log).toContain(hint?.line ?? 'no line');
});

test.each([
  { title: 'a full GPU explains itself', log: 'CUDA out of memory. Tried to allocate 2.00 GiB', want: 'cause' },
  { title: "NCCL's watchdog may have its cause elsewhere", log: nccl, want: 'symptom' },
  { title: 'a dead engine may have its cause elsewhere', log: 'EngineDeadError', want: 'symptom' },
  { title: 'a hub that is busy may be the cause of nothing', log: '429 Client Error', want: 'symptom' },
  { title: 'a closed connection says that a peer is gone', log: 'Connection closed by peer', want: 'cascade' },
  {
    title: 'SIGTERM is how a peer of the first is ended',
    log: 'SignalException: Process 12 got signal: 15',
    want: 'cascade',
  },
])('$title: $want', ({ log, want }) => {
  expect(hintFrom([log])?.weight).toBe(want);
});

test.each<{ title: string; log: string }>([
  { title: 'an empty log', log: '' },
  {
    title: 'numbers of a training that goes well',
    log: "{'loss': 0.5, 'grad_norm': 1.2}\n{'loss': 0.4, 'entropy': 0.429}",
  },
  {
    title: 'a line of Megatron whose counts are zero',
    log: ' iteration 12/100 | lm loss: 1.2E+00 | loss scale: 1.0 | grad norm: 0.5 | number of skipped iterations:   0 | number of nan iterations:   0 |',
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
