/**
 * `npm run cluster -- up|down|status [--cache DIR]`: a real single-node Kubernetes cluster on this machine, without Docker.
 *
 * `up` brings one up for this checkout, or finds the one that is up, and prints its KUBECONFIG line on standard output. `down` takes it
 * down, and what killed commands have left. `status` says what runs. Clusters of test suites go with their suites.
 */
import { parseArgs } from 'node:util';
import { readPython } from '../../scripts/python.ts';
import { SetupProblem } from '../../scripts/setup/problem.mjs';
import { isAlive } from '../../scripts/setup/processes.mjs';
import { bringUp } from './life/bring-up.ts';
import { describeSlots } from './life/describe-slots.ts';
import { Interruption, stopOnSignals } from './life/interruption.ts';
import { findOwn, listSlots, takeDownOwn } from './life/slots.ts';
import type { ProcessMark } from './life/state.ts';
import { markOfProcess, readState } from './life/state.ts';
import { buildContext } from './machine/kept-build.ts';
import type { SlotPlaces } from './machine/places.ts';

const usage = 'npm run cluster -- up | down | status [--cache DIR]';
const usageProblem = 64;

const say = (line: string): void => void process.stderr.write(`${line}\n`);
// Who reads along may stop reading (`up 2>&1 | head`): the cluster comes up all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const commands: Readonly<Record<string, (options: Options) => Promise<void>>> = { up, down, status };

interface Options {
  readonly cache?: string | undefined;
  /** Number of the process that takes the cluster down, for programs that bring up their own. */
  readonly 'owned-by'?: string | undefined;
}

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { cache: { type: 'string' }, 'owned-by': { type: 'string' } },
  });
  const [name = '', ...more] = positionals;
  const command = commands[name];
  if (command === undefined || more.length > 0)
    throw new TypeError(`unknown command: ${positionals.join(' ') || '(none)'}`);
  await command(values);
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

async function up({ cache, 'owned-by': ownedBy }: Options): Promise<void> {
  const owner = ownedBy === undefined ? null : processOf(Number(ownedBy));
  const there = owner === null ? findOwn() : undefined;
  const places = there?.places ?? (await bringUpNew(owner, cache));
  say(there === undefined ? 'The cluster is up.' : 'The cluster is up already.');
  say(`kubectl: ${readState(places.state)?.kubectl ?? 'none'}`);
  console.log(`export KUBECONFIG=${places.kubeconfig}`);
}

async function bringUpNew(owner: ProcessMark | null, cache: string | undefined): Promise<SlotPlaces> {
  const environment = cache === undefined ? process.env : { ...process.env, TEMPER_CLUSTER_CACHE: cache };
  const context = buildContext(environment, say);
  const stop = stopOnSignals(context);
  try {
    return await bringUp({ context, python: readPython(), owner, self: processOf(process.pid), stop });
  } catch (error) {
    // What was being built fails because it was stopped, not the other way round.
    if (stop.aborted) throw stop.reason;
    throw error;
  }
}

async function down(): Promise<void> {
  const ended = await takeDownOwn(say);
  say(ended === 0 ? 'No cluster of this checkout is up.' : 'Nothing is left of it.');
}

function status(): Promise<void> {
  for (const line of describeSlots(listSlots(), isAlive)) console.log(line);
  return Promise.resolve();
}

function processOf(pid: number): ProcessMark {
  const mark = markOfProcess(pid);
  if (mark === undefined) throw new TypeError(`there is no process ${String(pid)}`);
  return mark;
}

/** Says what went wrong. */
function exitCodeOf(error: unknown): number {
  if (error instanceof Interruption) {
    say('Stopped: nothing is left of the cluster.');
    return error.exitCode;
  }
  if (error instanceof SetupProblem) {
    say(error.toText().replace('Set-up', 'cluster'));
    return error.exitCode;
  }
  if (error instanceof TypeError) {
    say(`${error.message}\nusage: ${usage}`);
    return usageProblem;
  }
  throw error;
}
