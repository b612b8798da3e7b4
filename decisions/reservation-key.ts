/**
 * What names the wish for an attempt: the workflow run that makes it, what for, and its number among the wishes of that run. Whoever asks
 * again gets the same number; and whoever finds a job knows by it which run the job belongs to.
 */

export interface AttemptWish {
  /** Run id of the workflow that owns the job: a phase's, or an evaluation's. */
  readonly ownerRunId: string;
  readonly purpose: 'train' | 'evaluate' | 'seal';
  /** How many attempts this run has opened, this one included; of a seal, how many there were of its checkpoint. */
  readonly opened: number;
}

export function reservationKey({ ownerRunId, purpose, opened }: AttemptWish): string {
  return `${ownerRunId}/${purpose}/${String(opened)}`;
}

/** Run id of the workflow that owns the job; null for a text that is no such key. */
export function ownerRunOf(key: string): string | null {
  return /^([^/]+)\/(?:train|evaluate|seal)\/\d+$/.exec(key)?.[1] ?? null;
}
