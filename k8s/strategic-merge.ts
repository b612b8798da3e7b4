/**
 * Kubernetes' strategic merge of a pod template: groups are merged, the lists that have a key by their key, all others replaced; null removes.
 *
 * The keys are those of the published OpenAPI (`x-kubernetes-patch-merge-key`) for what lies in a pod template. Does not cover the
 * directives `$patch`, `$retainKeys` and `$setElementOrder`: a patch that has one is refused.
 */
import { TemperError } from '../decisions/errors.ts';

type Group = Readonly<Record<string, unknown>>;

const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  imagePullSecrets: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  resourceClaims: 'name',
};

/** A new value; neither argument is changed. Throws `invalid-input` for a directive, or an entry without its key. */
export function strategicMerge<T extends object>(target: T, patch: Group): T {
  return mergedGroup(target as Group, patch, '') as T;
}

function mergedGroup(target: Group, patch: Group, above: string): Group {
  const merged: Record<string, unknown> = { ...target };
  for (const [key, change] of Object.entries(patch)) {
    const path = above === '' ? key : `${above}.${key}`;
    if (key.startsWith('$'))
      throw refusal(path, 'is a directive, and none is understood here: write what should come out');
    if (change === null) Reflect.deleteProperty(merged, key);
    else merged[key] = mergedValue(target[key], change, { key, path });
  }
  return merged;
}

function mergedValue(target: unknown, change: unknown, { key, path }: { key: string; path: string }): unknown {
  const mergeKey = mergeKeys[key];
  if (Array.isArray(change) && mergeKey !== undefined)
    return mergedList(Array.isArray(target) ? target : [], change, { mergeKey, path });
  if (isGroup(change)) return mergedGroup(isGroup(target) ? target : {}, change, path);
  return change;
}

function mergedList(
  target: readonly unknown[],
  changes: readonly unknown[],
  at: { mergeKey: string; path: string },
): unknown[] {
  const merged = [...target];
  for (const [index, change] of changes.entries()) {
    const path = `${at.path}.${String(index)}`;
    const id = isGroup(change) ? change[at.mergeKey] : undefined;
    if (!isGroup(change) || id === undefined)
      throw refusal(path, `has no ${at.mergeKey}, by which entries are matched`);
    const place = merged.findIndex((entry) => isGroup(entry) && entry[at.mergeKey] === id);
    const before = merged[place];
    const after = mergedGroup(isGroup(before) ? before : {}, change, path);
    if (place < 0) merged.push(after);
    else merged[place] = after;
  }
  return merged;
}

function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refusal(path: string, message: string): TemperError {
  return new TemperError('invalid-input', `podTemplate.${path} ${message}`);
}
