/**
 * What a log says about the failure: an ordered table of patterns, causes before their symptoms.
 *
 * Covers hints from text. Does not cover exit codes or which rank failed first (classify.ts). Text that no row knows gives no hint:
 * an unknown failure stays unknown.
 */
import type { FailureClass } from './failure.ts';

/**
 * `cause`: explains itself. `symptom`: may have its cause in another process that failed before. `cascade`: says that another
 * process is gone.
 */
export type HintWeight = 'cause' | 'symptom' | 'cascade';

export interface Hint {
  readonly class: FailureClass;
  readonly weight: HintWeight;
  /** The first line that matched. */
  readonly line: string;
}

interface Signature {
  readonly class: FailureClass;
  readonly weight: HintWeight;
  readonly patterns: readonly RegExp[];
}

function cause(name: FailureClass, ...patterns: RegExp[]): Signature {
  return { class: name, weight: 'cause', patterns };
}
function symptom(name: FailureClass, ...patterns: RegExp[]): Signature {
  return { class: name, weight: 'symptom', patterns };
}
function cascade(name: FailureClass, ...patterns: RegExp[]): Signature {
  return { class: name, weight: 'cascade', patterns };
}

/** In order: the first row that matches any line wins. */
const signatures: readonly Signature[] = [
  cause(
    'hardware',
    /NVRM: Xid \([^)]*\): (48|63|64|74|79|94|95|119|120)\b/,
    /uncorrectable (NVLink|ECC) error/i,
    /GPU has fallen off the bus/i,
    /No CUDA GPUs are available/,
  ),
  cause(
    'gpu-oom',
    /CUDA out of memory/i,
    /CUDA error: out of memory/,
    /cudaErrorMemoryAllocation/,
    /No available memory for the cache blocks/,
    /Not enough memory\. Please try to increase --mem-fraction-static/,
    /\[OOM\] OOM escaped training_step/,
  ),
  cause(
    'shm-too-small',
    /DataLoader worker \(pid[^)]*\) is killed by signal: Bus error/,
    /unable to open shared memory object/,
    /unable to allocate shared memory/,
    /Error while creating shared memory segment \/dev\/shm\//,
  ),
  cause(
    'host-oom',
    /ray\.exceptions\.OutOfMemoryError/,
    /Task was killed due to the node running low on memory/,
    /Out of memory: Killed process/,
    /DataLoader worker \(pid[^)]*\) is killed by signal: Killed/,
    /DefaultCPUAllocator: can't allocate memory/,
    /^MemoryError\b/,
  ),
  cause(
    'disk-full',
    /No space left on device/i,
    /basic_ios::clear: iostream error/,
    /PytorchStreamWriter failed writing file/,
    /Disk quota exceeded/i,
  ),
  cause(
    'resume-damaged',
    /SafetensorError: Error while deserializing header/,
    /PytorchStreamReader failed (reading|finding)/,
    /Can't find a valid checkpoint at/,
    /failed finding central directory/,
    /_pickle\.UnpicklingError: /,
  ),
  cause(
    'crashed',
    /CUDA error: (an illegal memory access|device-side assert triggered|unspecified launch failure)/,
    /NVRM: Xid \([^)]*\): \d+/,
  ),
  cause(
    'not-finite',
    /number of nan iterations:\s*[1-9]/i,
    /\b(loss|grad_norm|grad norm|entropy)\b['"]?\s*(is|[:=])\s*['"]?[-+]?(nan|inf)\b/i,
    /(found|encountered|got) (a )?(nan|non-finite)\b/i,
  ),
  cause(
    'auth',
    /GatedRepoError/,
    /Cannot access gated repo/,
    /RepositoryNotFoundError: 401/,
    /Invalid user token/i,
    /\b40[13] Client Error: (Unauthorized|Forbidden)/,
  ),
  cause('network', /LocalEntryNotFoundError/, /OfflineModeIsEnabled/),
  cause(
    'data-missing',
    /RepositoryNotFoundError/,
    /RevisionNotFoundError/,
    /\bEntryNotFoundError/,
    /DatasetNotFoundError/,
    /DataFilesNotFoundError/,
    /^FileNotFoundError: (?!.*checkpoint)/,
    /^KeyError: .*\bcolumn\b/i,
    /^AssertionError: Missing: /,
  ),
  cause(
    'config',
    /^TypeError: .*unexpected keyword argument/,
    /^ImportError: cannot import name/,
    /^ModuleNotFoundError: /,
    /^NameError: name /,
    /error: unrecognized arguments/,
    /must be divisible by num_generations/,
    /\bsize mismatch for \S+: copying a param with shape/,
    /LoRA rank \d+ is greater than max_lora_rank/,
    /is unsupported LoRA weight/,
    /TemplateError/,
    /tokenizer\.chat_template is not set/,
    /setup doesn't support bf16\/gpu/,
    /CUDA driver version is insufficient/,
    /no kernel image is available/,
    /\[Errno 30\] Read-only file system/,
    /^PermissionError: \[Errno 13\]/,
  ),
  symptom('engine-watchdog', /watchdog timeout \(self\.watchdog_timeout=/i),
  symptom(
    'nccl-watchdog',
    /Watchdog caught collective operation timeout: WorkNCCL\(/,
    /NCCL watchdog thread terminated with exception/,
    /Heartbeat monitor timed out! Process will be terminated/,
    /ProcessGroupNCCL's watchdog got stuck for \d+ seconds/,
    /To avoid data inconsistency, we are taking the entire process down/,
    /nccl(Remote|System)Error/,
    /NCCL .*unhandled system error/i,
    /socketProgress.*failed|Socket recv failed/i,
  ),
  symptom(
    'ray-lost',
    /ray\.exceptions\.(RayActorError|ActorDiedError|ActorUnavailableError|NodeDiedError|WorkerCrashedError|LocalRayletDiedError)/,
    /Worker exit type: SYSTEM_ERROR/,
    /The node .* has been marked dead because the detector has missed too many heartbeats/,
  ),
  symptom(
    'engine-dead',
    /EngineDeadError/,
    /EngineCore encountered an issue/,
    /Engine core initialization failed/,
    /Received sigquit from a child proces/,
    /^error: role \S+ ended by itself with exit code 0 before the trainers were done/,
  ),
  symptom(
    'network',
    /\b429 Client Error\b|429 Too Many Requests/,
    /\b5\d\d Server Error\b/,
    /Max retries exceeded with url/,
    /Temporary failure in name resolution/,
    /ReadTimeout(Error)?\b/,
    /\bConnect(ion)?(Timeout|Error)\b(?!.*\bby peer\b)/,
  ),
  cascade('network', /Connection (closed|reset) by peer/i, /Broken pipe/, /Did the remote server shutdown or crash/),
  cascade('interrupted', /SignalException: Process \d+ got signal: 15/, /Sending process \d+ closing signal SIGTERM/),
];

/** The hint of the first row of the table that matches any of the lines; null when none does. */
export function hintFrom(lines: readonly string[]): Hint | null {
  for (const signature of signatures) {
    const line = lines.find((text) => signature.patterns.some((pattern) => pattern.test(text.trim())));
    if (line !== undefined) return { class: signature.class, weight: signature.weight, line: line.trim() };
  }
  return null;
}

/** What torchrun says of the process that failed first: its exit code is the cause, torchrun's own is always 1. */
export interface LauncherVerdict {
  readonly rank: number;
  /** Negative: the number of the signal. */
  readonly exitCode: number;
  readonly line: string;
}

/** Reads the last "Root Cause (first observed failure)" block; null when there is none. */
export function launcherVerdict(lines: readonly string[]): LauncherVerdict | null {
  const start = lines.findLastIndex((line) => line.includes('Root Cause (first observed failure)'));
  if (start < 0) return null;
  const block = lines.slice(start, start + 12);
  const rank = firstMatch(block, /^\s*rank\s*:\s*(\d+)/);
  const exit = firstMatch(block, /^\s*exitcode\s*:\s*(-?\d+)/);
  if (exit === null) return null;
  return { rank: Number(rank?.[1] ?? 0), exitCode: Number(exit[1]), line: exit.input.trim() };
}

/** What one process said, where torch puts its rank before each line. */
export function linesOfRank(lines: readonly string[], rank: number): string[] {
  return lines.filter((line) => line.startsWith(`[rank${String(rank)}]:`));
}

/** The exception or error line that ends a log, as a name for what no table row knows; null when there is none. */
export function lastError(lines: readonly string[]): string | null {
  const line = lines.findLast((text) =>
    /^\s*([A-Za-z_][\w.]*(Error|Exception|Interrupt|Exit)\b|(fatal|error|panic)\s*:)/i.test(text),
  );
  return line?.trim() ?? null;
}

function firstMatch(lines: readonly string[], pattern: RegExp): RegExpExecArray | null {
  for (const line of lines) {
    const match = pattern.exec(line);
    if (match !== null) return match;
  }
  return null;
}
