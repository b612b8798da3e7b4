/**
 * The name under which built binaries are kept: the same name means the same binaries. It hashes what is built (the wrapper modules with
 * the digests of everything they take), with what (Go, its flags), and for which processor.
 */
import { createHash } from 'node:crypto';

export interface BuildInputs {
  /** Text of each file of the wrapper modules, by its path in test/cluster/go. */
  readonly files: Readonly<Record<string, string>>;
  readonly goVersion: string;
  readonly architecture: string;
  /** Commands that build and packages that are unpacked, as they are written. */
  readonly steps: readonly string[];
}

/** 16 hexadecimal digits. */
export function cacheKey(inputs: BuildInputs): string {
  const files = Object.entries(inputs.files).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([files, inputs.goVersion, inputs.architecture, inputs.steps]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
