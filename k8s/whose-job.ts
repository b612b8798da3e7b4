/**
 * Whose a Job is, by its annotations: of which attempt, and of which Temper. Several may share a namespace.
 *
 * Does not cover who owns a directory (store/).
 */
import type { JobRef } from '../activities/backend.ts';
import type { SentJob } from './kube-types.ts';
import { annotations } from './labels.ts';

/** Who a directory of this worker's store belongs to; null for one that it does not know. */
export type OwnerOf = (directory: string) => Promise<string | null>;

export function refOf({ job: { metadata } }: { readonly job: SentJob }): JobRef {
  return { name: metadata.name, uid: metadata.uid, directory: metadata.annotations?.[annotations.directory] ?? '' };
}

export async function isOurs(job: SentJob, ownerOf: OwnerOf | undefined): Promise<boolean> {
  if (ownerOf === undefined) return true;
  const { directory } = refOf({ job });
  const owner = directory === '' ? null : await ownerOf(directory);
  return owner !== null && !isOfAnother(job, owner);
}

/** Of the attempt of this directory. */
export function isOf(job: SentJob, directory: string, owner: string | undefined): boolean {
  return job.metadata.annotations?.[annotations.directory] === directory && !isOfAnother(job, owner);
}

/** Jobs of older versions name no owner: their directory is all there is to go by. */
function isOfAnother({ metadata }: SentJob, owner: string | undefined): boolean {
  const named = metadata.annotations?.[annotations.owner];
  return named !== undefined && owner !== undefined && named !== owner;
}

export function whoseIs({ metadata: { annotations: found } }: SentJob): string {
  const place = found?.[annotations.directory];
  if (place === undefined) return 'not made by Temper';
  const owner = found?.[annotations.owner];
  return owner === undefined ? place : `${place} of ${owner}`;
}
