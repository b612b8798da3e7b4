/**
 * Whether the nodes that there are have room for each job, were they empty: GPUs, their product, CPU, memory, taints. Pure.
 *
 * Does not cover what others use now, or nodes that an autoscaler would make.
 */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { fine, type HealthCheck, missing, notChecked } from '../../decisions/health-check.ts';
import { gpuProductLabel } from '../labels.ts';
import { amountOf } from '../quantity.ts';
import { amountText } from './amount-text.ts';
import type { Node, Taint } from './cluster-objects.ts';
import type { ClusterFacts } from './facts.ts';
import type { JobWish, Toleration } from './wish.ts';

/** Each different trouble once, with the first job that meets it. */
export function judgeNodes(
  { nodes }: Pick<ClusterFacts, 'nodes'>,
  profile: KubernetesProfile,
  wishes: readonly JobWish[],
): HealthCheck[] {
  if (nodes.state !== 'found')
    return [notChecked('nodes', `${whyNot(nodes)}: whether the pods fit on any is not known`)];
  const usable = nodes.value.filter(isUsable);
  const troubles = wishes.flatMap((wish) => troubleOf(wish, usable, profile) ?? []);
  const distinct = [...new Map(troubles.toReversed().map((check) => [keyOf(check), check])).values()].toReversed();
  if (distinct.length > 0) return distinct;
  const { resource } = profile.gpu;
  const most = Math.max(0, ...wishes.map(({ requests }) => requests[resource] ?? 0));
  const asked = most === 0 ? 'no GPUs are asked for' : `up to ${String(most)} ${resource} a pod`;
  return [fine('nodes', `each pod fits on one of ${String(usable.length)} nodes (${asked})`)];
}

function whyNot(reading: Exclude<ClusterFacts['nodes'], { state: 'found' }>): string {
  return reading.state === 'unreadable' ? reading.why : 'there are no nodes';
}

const keyOf = ({ what }: HealthCheck): string => what.replace(/^.*? (?=asks|needs)/, '');

function isUsable({ spec, status }: Node): boolean {
  const isReady = status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return isReady === true && spec.unschedulable !== true;
}

function troubleOf(wish: JobWish, nodes: readonly Node[], profile: KubernetesProfile): HealthCheck | null {
  return labelTrouble(wish, nodes) ?? taintTrouble(wish, nodes) ?? sizeTrouble(wish, nodes, profile);
}

function labelTrouble(wish: JobWish, nodes: readonly Node[]): HealthCheck | null {
  for (const [label, value] of Object.entries(wish.nodeSelector)) {
    if (nodes.some((node) => node.metadata.labels?.[label] === value)) continue;
    const others = [...new Set(nodes.flatMap((node) => node.metadata.labels?.[label] ?? []))].sort();
    const there = others.length === 0 ? 'no node has any such label' : `the nodes have: ${others.join(', ')}`;
    return missing('nodes', `${wish.title} asks for nodes with ${label}=${value}, and ${there}`, {
      change: label === gpuProductLabel ? productChange(others) : `change it in \`podTemplate\`, or label the nodes`,
    });
  }
  return null;
}

function productChange(others: readonly string[]): string {
  return others.length === 0
    ? 'leave `gpu.product` out of the profile, or install NVIDIA’s GPU feature discovery, which labels the nodes'
    : `set \`gpu.product\` of the profile to one of them, or leave it out`;
}

const matching = ({ nodeSelector }: JobWish, nodes: readonly Node[]): readonly Node[] =>
  nodes.filter(({ metadata }) =>
    Object.entries(nodeSelector).every(([label, value]) => metadata.labels?.[label] === value),
  );

function taintTrouble(wish: JobWish, nodes: readonly Node[]): HealthCheck | null {
  const found = matching(wish, nodes);
  const barred = found.map((node) => barrierOf(node, wish));
  const [first] = barred;
  if (found.length === 0 || first === undefined || barred.includes(null)) return null;
  const taint = first === null ? '' : taintText(first);
  return missing('nodes', `${wish.title} needs a node that lets it in, and all that fit are tainted (${taint})`, {
    change: 'add a toleration to `podTemplate.spec.tolerations` of the profile',
  });
}

const taintText = ({ key, value, effect }: Taint): string => `${key}${value ? `=${value}` : ''}:${effect}`;

function barrierOf({ spec }: Node, { tolerations }: JobWish): Taint | null {
  const hard = (spec.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  return hard.find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint))) ?? null;
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (operator === 'Exists') return !key || key === taint.key;
  return key === taint.key && value === (taint.value ?? '');
}

function sizeTrouble(wish: JobWish, nodes: readonly Node[], { gpu }: KubernetesProfile): HealthCheck | null {
  const found = matching(wish, nodes).filter((node) => barrierOf(node, wish) === null);
  for (const [resource, amount] of Object.entries(wish.requests)) {
    const largest = Math.max(0, ...found.map((node) => allocatable(node, resource)));
    if (amount <= largest) continue;
    const there = largest === 0 ? 'no node has any' : `the largest node has ${amountText(resource, largest)}`;
    return missing('nodes', `${wish.title} asks for ${amountText(resource, amount)} a pod, and ${there}`, {
      change: sizeChange(wish, { resource, isGpu: resource === gpu.resource, largest }),
    });
  }
  const atOnce = found.map((node) => roomFor(wish, node)).reduce((sum, count) => sum + count, 0);
  if (atOnce >= wish.pods) return null;
  const what = `${wish.title} needs ${String(wish.pods)} pods at once, and there is room for ${String(atOnce)}`;
  return missing('nodes', what, { change: `lower \`jobs.${wish.phase}.nodes\` of the profile, or add nodes` });
}

const allocatable = ({ status }: Node, resource: string): number => amountOf(status.allocatable?.[resource] ?? '0');

function roomFor({ requests }: JobWish, node: Node): number {
  const counts = Object.entries(requests).flatMap(([resource, amount]) =>
    amount === 0 ? [] : [Math.floor(allocatable(node, resource) / amount)],
  );
  return Math.min(allocatable(node, 'pods'), ...counts);
}

function sizeChange(
  { phase }: JobWish,
  { resource, isGpu, largest }: { readonly resource: string; readonly isGpu: boolean; readonly largest: number },
): string {
  const field = isGpu ? 'gpus' : resource;
  if (largest === 0 && isGpu)
    return 'install the device plugin of your GPUs, or name their resource in `gpu.resource` of the profile';
  const more = isGpu ? `, and more pods by \`jobs.${phase}.nodes\`` : '';
  return `ask for ${amountText(resource, largest)} at most in \`jobs.${phase}.${field}\` of the profile${more}`;
}
