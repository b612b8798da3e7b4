/** What a process of a job died of, in the field's words: a watchdog, a signal, an Xid, its engine. */
import { signalOf } from './exit-codes.ts';
import type { ClassReason } from './failure.ts';
import { type ClassPhrase, type Failed, said, signalIn } from './phrase.ts';
import { launcherVerdict } from './signatures.ts';
import { watchdogWordIn } from './watchdog-line.ts';
import { xidText } from './xid.ts';

export type OfProcess =
  | 'nccl-watchdog'
  | 'engine-watchdog'
  | 'engine-dead'
  | 'ray-lost'
  | 'network'
  | 'stalled'
  | 'killed'
  | 'crashed'
  | 'hardware';

export function ofProcess(name: OfProcess, failed: Failed): ClassPhrase {
  const { because, evidence, who, on } = failed;
  switch (name) {
    case 'nccl-watchdog':
      return watchdog('NCCL error', failed);
    case 'engine-watchdog':
      return watchdog('engine watchdog', failed);
    case 'engine-dead':
      return said('role' in because ? `${who} died` : 'the rollout engine died', because);
    case 'ray-lost':
      return said('Ray lost a worker', because);
    case 'network':
      return said(`${who} could not reach the network`, because);
    case 'stalled':
      return { what: `stalled while ${evidence.lastProgress?.doing ?? 'starting'}` };
    case 'killed':
      return because.rule === 'end-unseen' ? unseen(because, who) : { what: `${who} was killed by SIGKILL` };
    case 'crashed':
      return crash(failed);
    case 'hardware':
      return hardware(`the hardware failed${on}`, failed);
  }
}

function unseen({ began }: Extract<ClassReason, { rule: 'end-unseen' }>, who: string): ClassPhrase {
  return began
    ? { what: `${who} ended unseen`, more: ': what watched it died too' }
    : { what: `${who} never began: what was to start it died` };
}

function watchdog(otherwise: string, { because, lines, on }: Failed): ClassPhrase {
  const words = because.rule === 'log-line' ? [because.line, ...lines] : lines;
  const word = watchdogWordIn(words);
  if (word === null) return said(`${otherwise}${on}`, because);
  const { rank, seconds, operation } = word;
  const where = rank === null ? on : ` on rank ${String(rank)}`;
  const after = seconds === null ? '' : ` after ${seconds.toLocaleString('en-US')} s`;
  return { what: `${word.watchdog}${where}${after}${operation === null ? '' : ` in ${operation}`}` };
}

function crash({ because, who, lines }: Failed): ClassPhrase {
  const signal = signalIn(because) ?? signalOf(launcherVerdict(lines)?.exitCode ?? null, null);
  return signal === null ? said(`${who} crashed`, because) : { what: `${who} crashed with ${signal}` };
}

function hardware(otherwise: string, { because, who, lines }: Failed): ClassPhrase {
  const xid = xidText([...(because.rule === 'log-line' ? [because.line] : []), ...lines]);
  if (xid !== null) return { what: xid };
  if (because.rule === 'backend-reason')
    return { what: `the node could not give ${who} its devices (${because.reason})` };
  return said(otherwise, because);
}
