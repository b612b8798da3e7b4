/**
 * `npm run bench -- cluster`: short chains of pods through Temper and through Argo Workflows, then a thousand live phases, on a real API
 * server; what Temper does for them stands beside its bars. docs/how-to/measure-it.md tells of its options and of what is stood in for.
 *
 * Brings up a test cluster of its own and takes it down, whatever happens. Takes 20 minutes and more, and builds kwok and Argo (8 minutes of
 * two cores) the first time. Never in CI.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SetupProblem } from '../scripts/setup/problem.mjs';
import { Interruption } from '../test/cluster/life/interruption.ts';
import { type OwnCluster, withOwnCluster } from '../test/cluster/life/own-cluster.ts';
import type { SlotPlaces } from '../test/cluster/machine/places.ts';
import { readTestCluster } from '../test/cluster/test-bed.ts';
import { auditFlags, type AuditPlaces } from './cluster/audit.ts';
import { goBeforeOthers } from './cluster/before-others.ts';
import { chainsTable, measureChains } from './cluster/chains.ts';
import { ensureArgo, ensureKwok } from './cluster/controllers.ts';
import { measureLivePhases } from './cluster/live-phases.ts';
import { liveTable } from './cluster/live-table.ts';

const { values } = parseArgs({
  options: {
    chains: { type: 'string', default: '1,20' },
    phases: { type: 'string', default: '1000' },
    ends: { type: 'string', default: '300' },
    'ends-per-minute': { type: 'string', default: '60' },
    quiet: { type: 'string', default: '120' },
    'before-others': { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stderr.write(`${line}\n`);
const rounds = values.chains.split(',').map((text) => wholeNumber('chains', text));
const given = {
  phases: wholeNumber('phases', values.phases),
  ends: wholeNumber('ends', values.ends),
  endsPerMinute: wholeNumber('ends-per-minute', values['ends-per-minute']),
  quietSeconds: wholeNumber('quiet', values.quiet),
};
const beforeOthers = values['before-others'];

if (beforeOthers) goBeforeOthers();
try {
  await withOwnCluster({ say, apiServerFlags: (places) => auditFlags(auditOf(places)) }, async (own) => {
    await Promise.race([measure(own), aborted(own.stop)]);
  });
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
// What was under way when a signal came may hold this process: the cluster is gone, and with it whatever was waited for.
process.exit();

async function measure({ places, context, stop }: OwnCluster): Promise<void> {
  process.env['KUBECONFIG'] = places.kubeconfig;
  const machine = { places, cluster: readTestCluster(process.env) };
  const common = { beforeOthers, audit: auditOf(places), say, stop };
  const some = rounds.filter((atOnce) => atOnce > 0);
  if (some.length > 0) {
    const argo = await ensureArgo(context);
    console.log(`${chainsTable(await measureChains(machine, { ...common, rounds: some, argo }))}\n`);
  }
  if (given.phases > 0) {
    const kwok = await ensureKwok(context);
    console.log(liveTable(await measureLivePhases(machine, { ...common, ...given, kwok })));
  }
}

function auditOf({ folder }: SlotPlaces): AuditPlaces {
  return { policy: join(folder, 'audit-policy.yaml'), log: join(folder, 'audit.log') };
}

async function aborted(stop: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    stop.addEventListener('abort', () => {
      reject(stop.reason as Error);
    });
  });
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= 0) return number;
  say(`--${option} is "${text}", and must be a whole number, 0 or more`);
  process.exit(64);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Interruption) return error.exitCode;
  if (!(error instanceof SetupProblem)) throw error;
  say(error.toText().replace('Set-up', 'bench cluster'));
  return error.exitCode;
}
