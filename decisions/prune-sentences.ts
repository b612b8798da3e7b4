/** Why a checkpoint stays or may go, and who pinned it, in words. Does not cover the rule (prune.ts). */
import type { GoReason, KeepReason } from './prune.ts';
import { minuteOf } from './utc-minute.ts';

export function sentenceOfKeep(why: KeepReason): string {
  switch (why.rule) {
    case 'pinned':
      return 'pinned';
    case 'promoted':
      return 'promoted';
    case 'parent':
      return 'another checkpoint was made from it';
    case 'read':
      return `${why.job} reads it`;
    case 'being-written':
      return 'its attempt may still write it';
    case 'evaluated':
      return 'evaluated';
    case 'due':
      return 'due for evaluation or promotion';
    case 'newest':
      return 'one of the newest two';
  }
}

export function sentenceOfGo(why: GoReason): string {
  switch (why) {
    case 'torn':
      return 'not complete, and its attempt is over';
    case 'not-trusted':
      return 'made after numbers that were not finite';
    case 'left-behind':
      return 'its phase began anew since';
    case 'older':
      return 'there are newer ones to go on from';
  }
}

/** Of a checkpoint that is gone. */
export interface PrunedFact {
  /** ISO 8601. */
  readonly at: string;
  /** Null where nobody wrote it down. */
  readonly why: GoReason | null;
}

/** For example `was pruned at 2026-11-29 10:00 UTC (there are newer ones to go on from): its files are gone`; without a full stop. */
export function sentenceOfPruned({ at, why }: PrunedFact): string {
  return `was pruned at ${minuteOf(at)} UTC${why === null ? '' : ` (${sentenceOfGo(why)})`}: its files are gone`;
}

/** Who pinned or unpinned a checkpoint, and why. */
export interface PinSaid {
  readonly by: string;
  readonly reason?: string;
}

export function sentenceOfPin(pin: PinSaid & { readonly checkpoint: string; readonly pinned: boolean }): string {
  const { checkpoint, pinned, by, reason } = pin;
  return `${by} ${pinned ? 'pinned' : 'unpinned'} ${checkpoint}${reason === undefined ? '' : `: ${reason}`}.`;
}

/** Bytes as a person reads them. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? value.toFixed(0) : value.toFixed(1)} ${units[unit] ?? ''}`;
}
