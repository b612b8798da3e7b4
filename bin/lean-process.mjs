/**
 * Lets a command that runs for weeks take less memory: V8 collects garbage sooner, and glibc keeps few pools of freed memory. Of a worker
 * that watches a hundred jobs that is half of it (docs/decisions/0018). Costs a start of Node, 40 ms.
 *
 * glibc reads its setting when a process begins, so the process begins anew in its own place, with the same id, terminal and parent. Who has
 * set MALLOC_ARENA_MAX keeps what is theirs. Not on Windows, which cannot do it.
 */

const longRunning = ['up', 'worker'];
const flags = ['--max-semi-space-size=4', '--heap-growing-percent=20'];

/** Begins anew where that is due; jobs that this process starts later know nothing of it. */
export function beLean() {
  const { argv, env, execArgv, execPath } = process;
  if (flags.every((flag) => execArgv.includes(flag))) {
    delete env.MALLOC_ARENA_MAX;
    return;
  }
  // A parent that talks to us over a channel would be cut off.
  if (!longRunning.includes(argv[2] ?? '') || env.MALLOC_ARENA_MAX !== undefined || process.send !== undefined) return;
  process.execve?.(execPath, [execPath, ...execArgv, ...flags, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '2' });
}
