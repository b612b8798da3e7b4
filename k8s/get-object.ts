/** One object, or a list, that may not be there. Does not cover objects that are watched (reflector.ts). */
import type { KubeClient } from './kube-client.ts';
import { asTemperError, KubeError } from './kube-error.ts';

/** Null for 404. `doing`: what it is asked for, such as "read job x". */
export async function getObject<T>(client: KubeClient, path: string, doing: string): Promise<T | null> {
  try {
    return await client.send<T>({ method: 'GET', path });
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return null;
    throw asTemperError(error, doing);
  }
}
