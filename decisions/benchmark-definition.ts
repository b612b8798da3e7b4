/**
 * What a benchmark's name and version stand for: scores are compared by those two alone, so that they must mean one thing in a ledger.
 *
 * Covers the text that is kept and what differs between two. Does not cover keeping it (store/ledger/benchmarks.ts).
 */
import type { Benchmark } from '../configs/schema.ts';
import { canonicalJson, differingFields } from './identity.ts';
import { isOutside } from './outside-benchmark.ts';

/** A benchmark as a recipe has it, with the digest of its file of data where it has one. */
export interface DefinedBenchmark {
  readonly name: string;
  readonly benchmark: Benchmark;
  readonly dataDigest: string | null;
}

/** Canonical JSON of everything that makes a score what it is, the version aside. */
export function benchmarkDefinition({ benchmark, dataDigest }: DefinedBenchmark): string {
  if (isOutside(benchmark)) return canonicalJson({ outside: true, problems: benchmark.problems });
  const { version: _, outside: __, data, ...rest } = benchmark;
  // A file is its content: where it lies says nothing.
  const defined = 'jsonl' in data ? { ...data, jsonl: dataDigest } : data;
  return canonicalJson({ ...rest, data: defined });
}

/** Whether a kept definition is that of a benchmark that is scored outside. */
export function isOutsideDefinition(kept: string): boolean {
  return (JSON.parse(kept) as { readonly outside?: unknown }).outside === true;
}

/** What is wrong where `kept` was evaluated under the same name and version, each with its field; nothing where the two are the same. */
export function changedDefinition(defined: DefinedBenchmark, kept: string): readonly string[] {
  const { name, benchmark } = defined;
  const field = `benchmarks.${name}`;
  return differingFields(kept, benchmarkDefinition(defined)).map(({ path, before, after }) => {
    const change =
      path === 'data.jsonl' ? 'names a file of another content' : `is ${shown(after)} and was ${shown(before)}`;
    const next = String(benchmark.version + 1);
    return `${field}.${path}: ${change} when version ${String(benchmark.version)} was evaluated: set ${field}.version to ${next}, so that their scores are never compared`;
  });
}

function shown(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}
