/**
 * What tests could leave on their cluster that the next ones would meet: objects that belong to no namespace, pods, what the node says of
 * itself, and the cluster's processes.
 *
 * Does not cover what lies in a namespace beside its pods (a namespace that was made is seen itself), nor changes to objects that stay.
 */
import { readFileSync } from 'node:fs';
import { isAlive } from '../../scripts/setup/processes.mjs';
import { readState } from './life/state.ts';
import type { Daemon } from './life/state.ts';
import type { SlotPlaces } from './machine/places.ts';
import { askApi } from './node/api.ts';
import { nodeName } from './node/components.ts';

/** A line for each thing. */
export type ClusterSnapshot = readonly string[];

interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources?: readonly { readonly resource: string; readonly scope: string; readonly verbs: string[] }[];
  }[];
}

interface Node {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key: string; readonly effect: string }[];
  };
  readonly status: { readonly allocatable: Readonly<Record<string, string>> };
}

/** They come and go with other objects, or are made by Kubernetes when it comes to it. */
const ofKubernetesItself = [
  'apiservices',
  'certificatesigningrequests',
  'componentstatuses',
  'csinodes',
  'ipaddresses',
];
const asDiscovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const asNames = 'application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadataList';

/** Rejects while the API server does not answer. */
export async function snapshotOfCluster(places: SlotPlaces): Promise<ClusterSnapshot> {
  const paths = (await Promise.all(['/api', '/apis'].map((root) => pathsUnder(places, root)))).flat();
  const objects = await Promise.all([...paths, '/api/v1/pods'].map((path) => namesAt(places, path)));
  const node = await read<Node>(places, `/api/v1/nodes/${nodeName}`);
  return [...objects.flat(), ...linesOfNode(node), ...linesOfDaemons(places)].sort();
}

/** Behind an object that is on its way out. */
const going = ' (being deleted)';

/** What came (+) and what went (-). What was going before, of the tests before, may be gone. */
export function changesBetween(before: ClusterSnapshot, now: ClusterSnapshot): readonly string[] {
  const nameOf = (line: string) => line.replace(going, '');
  const [wasThere, isThere] = [before.map(nameOf), now.map(nameOf)];
  const came = now.filter((line) => !wasThere.includes(nameOf(line))).map((line) => `+ ${line}`);
  const went = before.filter((line) => !line.endsWith(going) && !isThere.includes(line)).map((line) => `- ${line}`);
  return [...came, ...went];
}

/** Of every kind that belongs to no namespace, those that tests define too. */
async function pathsUnder(places: SlotPlaces, root: string): Promise<readonly string[]> {
  const { items } = await read<{ readonly items: readonly Group[] }>(places, root, asDiscovery);
  return items.flatMap(({ metadata: { name: group }, versions: [first] }) =>
    (first?.resources ?? [])
      .filter(({ resource, scope, verbs }) => {
        return scope === 'Cluster' && verbs.includes('list') && !ofKubernetesItself.includes(resource);
      })
      .map(({ resource }) => [root, group, first?.version, resource].filter(Boolean).join('/')),
  );
}

interface Names {
  /** Null where there is none. */
  readonly items:
    | readonly {
        readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string };
      }[]
    | null;
}

/** None of a kind that was taken away since it was found: what kinds there are is told late. */
async function namesAt(places: SlotPlaces, path: string): Promise<readonly string[]> {
  const answer = await askApi(places, { path, accept: asNames });
  if (answer.status === 404) return [];
  const { items } = bodyOf(path, answer) as Names;
  const kind = path.replace(/^.*\//, '');
  return (items ?? []).map(
    ({ metadata: { name, namespace, deletionTimestamp } }) =>
      `${[kind, namespace, name].filter(Boolean).join('/')}${deletionTimestamp === undefined ? '' : going}`,
  );
}

async function read<T>(places: SlotPlaces, path: string, accept?: string): Promise<T> {
  return bodyOf(path, await askApi(places, { path, ...(accept === undefined ? {} : { accept }) })) as T;
}

function bodyOf(path: string, { status, text }: { readonly status: number; readonly text: string }): unknown {
  if (status !== 200) throw new Error(`${path}: ${text}`);
  return JSON.parse(text);
}

function linesOfNode({ metadata: { labels }, spec: { unschedulable, taints = [] }, status }: Node): readonly string[] {
  const of = (what: string, pairs: Readonly<Record<string, string>>) =>
    Object.entries(pairs).map(([name, value]) => `${what} of the node: ${name}=${value}`);
  return [
    ...of('label', labels),
    ...of('resource', status.allocatable),
    ...taints.map(({ key, effect }) => `taint of the node: ${key}:${effect}`),
    ...(unschedulable === true ? ['the node is cordoned'] : []),
  ];
}

function linesOfDaemons({ state }: SlotPlaces): readonly string[] {
  return Object.entries(readState(state)?.daemons ?? {}).flatMap(([name, daemon]) => {
    const life = lifeOf(daemon);
    return life === null ? [] : [`process ${name} ${life}: ${daemon.command.join(' ')}`];
  });
}

/** Null for one that does not run. */
function lifeOf({ process: mark }: Daemon): 'runs' | 'is stopped' | null {
  if (mark === null || !isAlive(mark)) return null;
  const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${String(mark.pid)}/stat`, 'utf8')) ?? [];
  return state === 'T' ? 'is stopped' : 'runs';
}
