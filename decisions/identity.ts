/**
 * What makes two phases the same work: what is trained, from what, on what, judged how. Equal identities are reused, not redone.
 *
 * Covers the canonical text and the first difference between two. Does not cover hashing it (whoever stores it has SHA-256), nor
 * where it runs: the profile, budgets, `onFailure` and the phase's name are no part of it.
 */
import type { Benchmark, Model, Phase } from '../configs/schema.ts';
import { TemperError } from './errors.ts';
import { outsideOfGate } from './outside-benchmark.ts';

export interface IdentityParts {
  readonly phase: Phase;
  readonly model: Model;
  readonly seed: number;
  /** All benchmarks of the recipe; those that the phase does not use are left out. */
  readonly benchmarks: Readonly<Record<string, Benchmark>>;
  /** Digest of the data's content; null for a phase without data, or with data made from a seed. */
  readonly dataDigest: string | null;
  /** For a `base` that a folder is named for: digest of what lies in it. @default null */
  readonly modelDigest?: string | null;
  /** Digests of the files that a command names, by how it names them. */
  readonly fileDigests?: Readonly<Record<string, string>>;
  /** Digest of the checkpoint that the phase starts from; null for `base`. */
  readonly startDigest: string | null;
}

/** The first place where two identities differ. `undefined` values stand for a field that one of them lacks. */
export interface IdentityDifference {
  /** For example `params.learningRate` or `gate.0.rank.by`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Raised when the meaning of a field changes, so that older work is not taken for the same. */
const identityVersion = 1;

/** Canonical JSON of what is trained: the same text for the same work, whatever the order of fields in the recipe. */
export function identityText(parts: IdentityParts): string {
  const { phase } = parts;
  return canonicalJson({
    identity: identityVersion,
    kind: phase.kind,
    params: trainedBy(phase),
    files: phase.kind === 'command' ? (parts.fileDigests ?? {}) : undefined,
    data: 'data' in phase ? { ...phase.data, digest: parts.dataDigest } : null,
    seed: parts.seed,
    model: parts.modelDigest ? { ...parts.model, digest: parts.modelDigest } : parts.model,
    evaluate: phase.evaluate ?? null,
    gate: phase.gate,
    onReject: phase.onReject,
    // Whoever is told trains the same; nor is it in what was finished before there was such a field.
    onCollapse: phase.onCollapse === 'tell' ? undefined : phase.onCollapse,
    benchmarks: benchmarksUsed(phase, parts.benchmarks),
    start: parts.startDigest,
  });
}

/** Of a command, what decides what is trained: not where it begins, nor how its log is read. */
function trainedBy(phase: Phase): Record<string, unknown> {
  if (phase.kind !== 'command') return phase.params;
  const { workingDirectory: _, progress: __, stallMinutes: ___, ...params } = phase.params;
  return params;
}

/** The first difference in the order of field names, or null when the two are the same work. */
export function differingField(before: string, after: string): IdentityDifference | null {
  return differingFields(before, after)[0] ?? null;
}

/** Every difference, in the order of field names. */
export function differingFields(before: string, after: string): readonly IdentityDifference[] {
  return differencesBelow(JSON.parse(before), JSON.parse(after), '');
}

/** JSON with sorted keys and no spaces; absent and `undefined` fields are the same. Throws `invalid-input` for what JSON lacks. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (isRecord(value)) {
    const fields = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
    return `{${fields.join(',')}}`;
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value === 0 ? 0 : value);
  throw new TemperError(
    'invalid-input',
    `an identity holds JSON only, not ${typeof value === 'number' ? 'a number that is not finite' : `a ${typeof value}`}`,
  );
}

function benchmarksUsed(phase: Phase, benchmarks: IdentityParts['benchmarks']): Record<string, object | null> {
  const evaluated = (phase.evaluate?.benchmarks ?? []).map((name) => {
    const { outside: _, ...benchmark } = benchmarks[name] ?? {};
    return [name, benchmarks[name] ? benchmark : null] as const;
  });
  return { ...Object.fromEntries(evaluated), ...outsideOfGate(phase, benchmarks) };
}

function differencesBelow(before: unknown, after: unknown, path: string): readonly IdentityDifference[] {
  const left = childrenOf(before);
  const right = childrenOf(after);
  if (left === null || right === null || Array.isArray(before) !== Array.isArray(after)) {
    return canonicalOrAbsent(before) === canonicalOrAbsent(after) ? [] : [{ path, before, after }];
  }
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort(byNumberThenText);
  return keys.flatMap((key) => differencesBelow(left[key], right[key], path === '' ? key : `${path}.${key}`));
}

function childrenOf(value: unknown): Record<string, unknown> | null {
  if (Array.isArray(value)) return Object.fromEntries(value.map((item: unknown, index) => [String(index), item]));
  return isRecord(value) ? value : null;
}

function canonicalOrAbsent(value: unknown): string {
  return value === undefined ? '' : canonicalJson(value);
}

function byNumberThenText(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (!Number.isNaN(difference)) return difference;
  return a < b ? -1 : 1;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
