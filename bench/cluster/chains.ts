/**
 * The same chains of short pods through Temper and through Argo Workflows, one after the other on the same cluster: how soon the next pod is
 * made, and what it costs. Both are there all the time, so that neither has the machine for itself.
 */
import { createKubeClient } from '../../k8s/kube-client.ts';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import type { TestCluster } from '../../test/cluster/test-bed.ts';
import { quantile } from '../measure-run.ts';
import { columns } from '../support/table.ts';
import { argoChains } from './argo-chains.ts';
import { type AuditPlaces, isWrite, readAuditLog } from './audit.ts';
import { putBeforeOthers } from './before-others.ts';
import { gapsOf, lengthOf } from './chain-pods.ts';
import { stepsOfChain } from './chain-step.ts';
import type { Contender } from './contender.ts';
import type { Argo } from './controllers.ts';
import { loadOfMachine, pidsOf, takenByAll } from './processes.ts';
import { temperChains } from './temper-chains.ts';

export interface ChainsOptions {
  /** How many at once, in each round. */
  readonly rounds: readonly number[];
  readonly argo: Argo;
  readonly audit: AuditPlaces;
  readonly beforeOthers: boolean;
  readonly say: (line: string) => void;
}

export interface ChainsMeasure {
  readonly contender: string;
  readonly atOnce: number;
  /** Milliseconds. */
  readonly gaps: readonly number[];
  readonly lengths: readonly number[];
  readonly readsPerStep: number;
  readonly writesPerStep: number;
  readonly cpuSecondsPerStep: number;
  /** MiB, of all its daemons together, at their highest so far. */
  readonly memory: number;
  readonly load: number;
}

export async function measureChains(
  machine: { readonly cluster: TestCluster; readonly places: SlotPlaces },
  options: ChainsOptions,
): Promise<readonly ChainsMeasure[]> {
  const client = createKubeClient();
  const contenders: Contender[] = [];
  try {
    options.say('Temper, and Argo Workflows beside it');
    contenders.push(await temperChains(machine, client));
    contenders.push(await argoChains({ ...machine, argo: options.argo }, client));
    if (options.beforeOthers) putBeforeOthers(pidsOf(machine.places));
    const measures: ChainsMeasure[] = [];
    for (const atOnce of options.rounds)
      for (const contender of contenders)
        measures.push(await measureRound(contender, { ...machine, ...options, atOnce }));
    return measures;
  } finally {
    for (const contender of contenders) await contender.close();
    await client.close();
  }
}

async function measureRound(
  contender: Contender,
  { places, audit, atOnce, say }: ChainsOptions & { readonly places: SlotPlaces; readonly atOnce: number },
): Promise<ChainsMeasure> {
  const { name: contenderName, daemons, users, pods } = contender;
  const names = Array.from({ length: atOnce }, (_, index) => `chain-${String(atOnce)}-${String(index + 1)}`);
  const taken = () => [...takenByAll(places)].flatMap(([name, one]) => (daemons.includes(name) ? [one] : []));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const cpu = () => sum(taken().map(({ cpuSeconds }) => cpuSeconds));
  say(`${String(atOnce)} at once: ${contenderName}`);
  const [beganAt, cpuBefore] = [Date.now(), cpu()];
  await contender.run(names);
  const steps = atOnce * stepsOfChain;
  const asked = readAuditLog(audit).filter(({ at, user }) => at >= beganAt && users.includes(user));
  const chains = [...pods.chains()].flatMap(([chain, of]) => (names.includes(chain) ? [of] : []));
  const lengths = chains.map(lengthOf).filter((length) => length !== null);
  if (chains.some((chain) => chain.length !== stepsOfChain) || lengths.length !== atOnce)
    throw new Error(`${contenderName}: not every chain was seen to have ${String(stepsOfChain)} pods that ended`);
  return {
    contender: contenderName,
    atOnce,
    gaps: chains.flatMap(gapsOf),
    lengths,
    readsPerStep: asked.filter((request) => !isWrite(request)).length / steps,
    writesPerStep: asked.filter(isWrite).length / steps,
    cpuSecondsPerStep: (cpu() - cpuBefore) / steps,
    memory: sum(taken().map(({ highestMemory }) => highestMemory)),
    load: loadOfMachine(),
  };
}

export function chainsTable(measures: readonly ChainsMeasure[]): string {
  const seconds = (value: number | null) => (value === null ? 'not seen' : `${(value / 1000).toFixed(2)} s`);
  const both = (values: readonly number[]) => `${seconds(quantile(values, 0.5))}, ${seconds(quantile(values, 1))}`;
  const row = (what: string, cell: (measure: ChainsMeasure) => string) => [what, ...measures.map(cell)];
  return columns([
    row(`chains of ${String(stepsOfChain)} pods`, ({ contender }) => contender),
    row('at once', ({ atOnce }) => String(atOnce)),
    row('step has ended → next pod made: median, largest', ({ gaps }) => both(gaps)),
    row('first pod → last step has ended: median, largest', ({ lengths }) => both(lengths)),
    row('API writes a step', ({ writesPerStep }) => writesPerStep.toFixed(1)),
    row('API reads a step', ({ readsPerStep }) => readsPerStep.toFixed(1)),
    row('seconds of processor a step, server and all', ({ cpuSecondsPerStep }) => cpuSecondsPerStep.toFixed(2)),
    row('memory so far, server and all', ({ memory }) => `${memory.toFixed(0)} MiB`),
    row('load of the machine', ({ load }) => load.toFixed(1)),
  ]);
}
