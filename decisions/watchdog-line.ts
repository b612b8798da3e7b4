/**
 * What a watchdog's own line says: which process it watched, in what, and for how long.
 *
 * Covers NCCL's watchdog and heartbeat, and SGLang's watchdog. Does not cover that a line is a watchdog's (signatures.ts).
 */

export interface WatchdogWord {
  readonly watchdog: 'NCCL watchdog' | 'NCCL heartbeat' | 'SGLang watchdog';
  /** Of the process group; null where the line names none. */
  readonly rank: number | null;
  /** Null where the line names none. */
  readonly seconds: number | null;
  /** The collective it hung in, such as `all-reduce`; null where the line names none. */
  readonly operation: string | null;
}

const operations: Readonly<Record<string, string>> = {
  ALLREDUCE: 'all-reduce',
  ALLGATHER: 'all-gather',
  ALLTOALL: 'all-to-all',
  REDUCESCATTER: 'reduce-scatter',
};

/** The first of these lines that a watchdog said, read; null when none did. */
export function watchdogWordIn(lines: readonly string[]): WatchdogWord | null {
  for (const line of lines) {
    const word = ncclTimeout(line) ?? ncclHeartbeat(line) ?? sglangTimeout(line);
    if (word !== null) return word;
  }
  return null;
}

function ncclTimeout(line: string): WatchdogWord | null {
  const found = /Watchdog caught collective operation timeout: WorkNCCL\(.*?OpType=(\w+)/.exec(line);
  if (found === null) return null;
  const milliseconds = numberIn(line, /ran for (\d+) milliseconds/) ?? numberIn(line, /Timeout\(ms\)=(\d+)/);
  return {
    watchdog: 'NCCL watchdog',
    rank: numberIn(line, /\bRank (\d+)\]/),
    seconds: milliseconds === null ? null : Math.round(milliseconds / 1000),
    operation: operationOf(found[1] ?? ''),
  };
}

function ncclHeartbeat(line: string): WatchdogWord | null {
  if (!/Heartbeat monitor timed out|watchdog got stuck for/.test(line)) return null;
  const seconds = numberIn(line, /got stuck for (\d+) seconds/);
  return { watchdog: 'NCCL heartbeat', rank: numberIn(line, /\bRank (\d+)\]/), seconds, operation: null };
}

function sglangTimeout(line: string): WatchdogWord | null {
  const seconds = numberIn(line, /watchdog timeout \(self\.watchdog_timeout=(\d+)/i);
  return seconds === null ? null : { watchdog: 'SGLang watchdog', rank: null, seconds, operation: null };
}

/** `_ALLGATHER_BASE` is the same collective as `ALLGATHER`. */
function operationOf(type: string): string {
  const plain = type.replace(/^_|_BASE$/g, '').replaceAll('_', '');
  return operations[plain] ?? plain.toLowerCase();
}

function numberIn(line: string, pattern: RegExp): number | null {
  const found = pattern.exec(line)?.[1];
  return found === undefined ? null : Number(found);
}
