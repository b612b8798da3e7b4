/**
 * What happened to a job, in the field's words: a phrase for each failure class.
 *
 * Covers the class and what names it: the watchdog's collective and time, the signal, the Xid, the reason of the cluster. Does not cover
 * where, when, who followed and what was lost (what-happened.ts), or why the class was named (sentences.ts).
 */
import type { ClassReason, Evidence, FailureClass, Incident } from './failure.ts';
import { fromOutside, neverStarted } from './outside-phrases.ts';
import { type ClassPhrase, type Failed, quoted, reasonIn, said } from './phrase.ts';
import { ofProcess } from './process-phrases.ts';
import { reasonText, whoEnded } from './sentences.ts';

/** The failure as a person of the field would call it. */
export function phraseOf(incident: Incident, evidence: Evidence): ClassPhrase {
  const { because, rank } = incident;
  if (because.rule === 'waited') return { what: reasonText(because) };
  const blamed = 'rank' in because ? whoEnded(because) : null;
  const end = evidence.ranks.find((one) => one.rank === rank) ?? evidence.ranks[0];
  const failed = { because, evidence, who: blamed ?? 'it', on: blamed === null ? '' : ` on ${blamed}` };
  return phrase(incident.class, { ...failed, lines: end?.lastLines ?? [] });
}

function phrase(name: FailureClass, failed: Failed): ClassPhrase {
  switch (name) {
    case 'preempted':
    case 'evicted':
    case 'node-lost':
    case 'interrupted':
    case 'deadline':
    case 'queue-evicted':
      return fromOutside(name, failed);
    case 'nccl-watchdog':
    case 'engine-watchdog':
    case 'engine-dead':
    case 'ray-lost':
    case 'network':
    case 'stalled':
    case 'killed':
    case 'crashed':
    case 'hardware':
      return ofProcess(name, failed);
    case 'gpu-oom':
    case 'host-oom':
    case 'shm-too-small':
    case 'disk-full':
      return ofResource(name, failed);
    case 'unschedulable':
    case 'quota':
    case 'image-pull':
    case 'mount':
    case 'sandbox':
    case 'half-scheduled':
      return { what: `${neverStarted[name]}${reasonIn(failed)}` };
    case 'config':
    case 'auth':
    case 'data-missing':
    case 'admission-denied':
    case 'unknown':
      return saidOr(refusals[name], failed);
    case 'not-finite':
    case 'resume-damaged':
    case 'start-damaged':
    case 'no-progress':
    case 'resume-mismatch':
    case 'unproven':
    case 'job-lost':
      return ofWork(name, failed);
  }
}

function ofResource(
  name: 'gpu-oom' | 'host-oom' | 'shm-too-small' | 'disk-full',
  { because, who, lines }: Failed,
): ClassPhrase {
  switch (name) {
    case 'gpu-oom': {
      const tried = /Tried to allocate ([\d.]+ \w+)/.exec(because.rule === 'log-line' ? because.line : '')?.[1];
      if (tried === undefined) return said(`${who} ran out of GPU memory`, because);
      return { what: `${who} ran out of GPU memory (tried to allocate ${tried})` };
    }
    case 'host-oom':
      if (because.rule === 'backend-reason')
        return { what: `${who} was killed at its memory limit (${because.reason})` };
      return said(`${who} ran out of memory`, because);
    case 'shm-too-small':
      return said(`/dev/shm was too small for ${who}`, because);
    case 'disk-full':
      if (because.rule === 'store-full')
        return { what: 'the store was full', more: `: ${mebibytes(because.freeBytes)} were left` };
      if (because.rule !== 'backend-reason') return said('the disk was full', because);
      return quoted(
        `the disk of the node was full (${because.reason})`,
        because.says ?? lines.find((line) => /ephemeral/i.test(line)),
      );
  }
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

type OfWork =
  'not-finite' | 'resume-damaged' | 'start-damaged' | 'no-progress' | 'resume-mismatch' | 'unproven' | 'job-lost';

function ofWork(name: OfWork, { because }: Failed): ClassPhrase {
  const more = `: ${reasonText(because)}`;
  switch (name) {
    case 'not-finite':
      return said(because.rule === 'metrics-not-finite' ? reasonText(because) : 'a number was not finite', because);
    case 'resume-damaged':
      return damaged('the checkpoint that it was to go on from', because);
    case 'start-damaged':
      return damaged('the checkpoint that the phase starts from', because);
    case 'no-progress':
      return { what: 'no progress', more };
    case 'resume-mismatch':
      return { what: 'not resumed as it was told', more };
    case 'unproven':
      return { what: 'ended without proof', more };
    case 'job-lost':
      return { what: 'the job is gone', more: ': it left neither a result nor a record of its end' };
  }
}

function damaged(which: string, because: ClassReason): ClassPhrase {
  if (because.rule !== 'checkpoint-damaged') return said(`${which} is damaged`, because);
  return { what: `${which} is damaged`, more: ` (${because.path}: ${because.why})` };
}

const refusals = {
  config: 'its settings cannot work',
  auth: 'it was refused access',
  'data-missing': 'data or model is not there',
  'admission-denied': 'the cluster refused it',
  unknown: 'it failed',
} as const;

/** What the process or the trainer said; where nobody said anything, how it ended. */
function saidOr(what: string, { because, who }: Failed): ClassPhrase {
  switch (because.rule) {
    case 'log-line':
    case 'trainer-said':
      return said(what === refusals.unknown ? `${who} failed` : what, because);
    case 'backend-reason':
      return said(because.container === undefined ? what : `${what}: ${who}`, because);
    default:
      return { what: reasonText(because) };
  }
}
