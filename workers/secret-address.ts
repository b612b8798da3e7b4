/** An address that is a secret, where a profile says that it is found: an environment variable or a file. Read when it is needed, told to nobody. */
import { readFile } from 'node:fs/promises';

export type WhereAddressIs = { readonly env: string } | { readonly file: string };

export type FoundAddress =
  | { readonly kind: 'found'; readonly address: string; readonly name: string }
  /** `problem` names the place, such as "the environment variable X of the worker is not set". */
  | { readonly kind: 'missing'; readonly problem: string };

export async function addressAt(
  where: WhereAddressIs,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<FoundAddress> {
  const name = 'env' in where ? `the environment variable ${where.env} of the worker` : `the file ${where.file}`;
  const text = 'env' in where ? environment[where.env] : await readFile(where.file, 'utf8').catch(codeOf);
  if (typeof text === 'object') return { kind: 'missing', problem: `${name} cannot be read (${text.code})` };
  if (text === undefined || text.trim() === '') return { kind: 'missing', problem: `${name} is not set` };
  return { kind: 'found', address: text.trim(), name };
}

function codeOf(error: unknown): { readonly code: string } {
  return { code: (error as NodeJS.ErrnoException).code ?? 'unknown error' };
}
