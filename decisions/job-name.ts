/**
 * What a job is called: a function of who owns it and nothing else, so that whoever asks again finds the job that exists.
 *
 * Covers DNS labels of at most 52 characters (Kubernetes adds an index and a suffix to a Job's name within its 63).
 * Does not cover attempt numbers (the ledger reserves them).
 */
import { TemperError } from './errors.ts';

/** Who owns a job. `phase` may also name an evaluation of a phase: any text that is unique within the workflow id. */
export interface JobOwner {
  readonly workflowId: string;
  readonly phase: string;
  /** Counts from 1. */
  readonly attempt: number;
}

const longest = 52;
const longestPhase = 20;
const hashLength = 8;

/** `t-<slug>-<hash8>-a<N>`. The hash tells apart owners whose slugs are alike. Throws `invalid-input` for an attempt below 1. */
export function jobName(owner: JobOwner): string {
  if (!Number.isSafeInteger(owner.attempt) || owner.attempt < 1) {
    throw new TemperError(
      'invalid-input',
      `attempt ${String(owner.attempt)} is no attempt number: they are whole and count from 1`,
    );
  }
  const hash = hashOf(JSON.stringify([owner.workflowId, owner.phase]));
  const end = `${hash}-a${String(owner.attempt)}`;
  const room = longest - 't-'.length - 1 - end.length;
  return ['t', readable(owner, room), end].filter((part) => part !== '').join('-');
}

/** The part for people. A workflow id that already ends with the phase does not say it twice; a long one gives way to the phase. */
function readable(owner: JobOwner, room: number): string {
  const phase = slug(owner.phase, longestPhase);
  const workflow = slug(owner.workflowId, Infinity);
  const before =
    workflow === phase || phase === '' || !workflow.endsWith(`-${phase}`)
      ? workflow
      : workflow.slice(0, -phase.length - 1);
  const parts = [before === phase ? '' : slug(before, phase === '' ? room : room - phase.length - 1), phase];
  return parts.filter((part) => part !== '').join('-');
}

/** Lower-case letters, digits and single dashes, with none at either end; may be empty. */
export function slug(text: string, length = 40): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-/, '').slice(0, length).replace(/-$/, '');
}

/** FNV-1a over 64 bits, mixed once more so that the last characters count as much as the first; 41 bits of it in base 36. */
function hashOf(text: string): string {
  const mask = (1n << 64n) - 1n;
  let hash = 0xcbf29ce484222325n;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    hash = ((hash ^ BigInt(unit & 0xff)) * 0x100000001b3n) & mask;
    hash = ((hash ^ BigInt(unit >> 8)) * 0x100000001b3n) & mask;
  }
  hash = ((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) & mask;
  hash ^= hash >> 33n;
  return hash.toString(36).padStart(13, '0').slice(-hashLength);
}
