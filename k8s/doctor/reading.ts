/** One object of a cluster as a person may see it: found, absent, or not theirs to read. Does not cover what it means. */
import type { KubeClient } from '../kube-client.ts';
import { asTemperError, KubeError } from '../kube-error.ts';

export type Reading<T> =
  | { readonly state: 'found'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly why: string };

export interface ReadingWish {
  readonly path: string;
  /** What a person may not do where it is refused, such as "list nodes". */
  readonly doing: string;
  readonly metadataOnly?: true;
}

/** Throws `backend-unavailable` where the server does not answer. */
export async function read<T>(client: KubeClient, { path, doing, metadataOnly }: ReadingWish): Promise<Reading<T>> {
  try {
    const value = await client.send<T>({ method: 'GET', path, ...(metadataOnly ? { metadataOnly } : {}) });
    return { state: 'found', value };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.status === 404) return { state: 'absent' };
    if (error.status === 403) return { state: 'unreadable', why: `you may not ${doing}` };
    throw asTemperError(error, doing);
  }
}

/** What a dry run was answered: null where the server would take it. Throws `backend-unavailable` where it does not answer. */
export async function refusalOf(client: KubeClient, path: string, body: object): Promise<string | null> {
  try {
    await client.send({ method: 'POST', path: `${path}?dryRun=All&fieldValidation=Strict`, body });
    return null;
  } catch (error) {
    if (!(error instanceof KubeError) || error.isPassing) throw asTemperError(error, `try ${path}`);
    return error.message;
  }
}
