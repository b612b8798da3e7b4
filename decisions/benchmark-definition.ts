/**
 * What a benchmark's name and version stand for: scores are compared by those two alone, so that they must mean one thing in a ledger.
 *
 * Covers the text that is kept and what differs between two. Does not cover keeping it (store/ledger/benchmarks.ts).
 */
import type { Benchmark } from '../configs/schema.ts';
import { canonicalJson, differingFields } from './identity.ts';

/** A benchmark as a recipe has it, with the digest of its file of data where it has one. */
export interface DefinedBenchmark {
  readonly name: string;
  readonly benchmark: Benchmark;
  readonly dataDigest: string | null;
}

/** Canonical JSON of everything that makes a score what it is, the version aside. */
export function benchmarkDefinition({ benchmark, dataDigest }: DefinedBenchmark): string {
  const { version: _, data, ...rest } = benchmark;
  // A file is its content: where it lies says nothing.
  const defined = 'jsonl' in data ? { ...data, jsonl: dataDigest } : data;
  return canonicalJson({ ...rest, data: defined });
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
