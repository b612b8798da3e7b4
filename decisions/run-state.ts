/**
 * What the Temporal server says of the run of a pipeline or a sweep that has no end in the ledger: one that is terminated, or out of its
 * time, writes none itself.
 *
 * Covers what follows for whoever reads, and the words. Does not cover asking the server (workers/run-state.ts).
 */
import type { RunEndState, RunStateWord } from './states.ts';
import { minuteOf } from './utc-minute.ts';

export type RunState =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'closed';
      readonly status: RunEndState;
      /** ISO 8601. */
      readonly closedAt: string;
      /** Of one that was terminated: who did it, and why; null where nobody said. */
      readonly by: string | null;
      readonly reason: string | null;
    }
  /** The server has never heard of it, or has forgotten it. */
  | { readonly kind: 'unknown' };

/** A run, and what the server said of it; null where the ledger had its end, or no server could be asked. */
export interface SeenOnServer {
  readonly runId: string;
  readonly state: RunState | null;
}

/** A run as the ledger has it. */
export interface LedgerRun {
  readonly runId: string;
  readonly endedAt: string | null;
  readonly outcome: RunEndState | 'rejected' | null;
}

export interface RunEnd {
  /** How it ended; `running` before, `unknown` where nobody knows. */
  readonly state: RunStateWord;
  /** ISO 8601. */
  readonly endedAt: string | null;
  /** Why there is no end of its own, in a sentence; null for one that runs, or wrote its end. */
  readonly sentence: string | null;
}

/** What it wrote itself comes first. `seen` of another run says nothing. */
export function endOfRun({ runId, endedAt, outcome }: LedgerRun, seen: SeenOnServer): RunEnd {
  if (endedAt !== null) return { state: outcome ?? 'running', endedAt, sentence: null };
  const running = { state: 'running', endedAt: null } as const;
  if (seen.runId !== runId) return { ...running, sentence: null };
  const { state } = seen;
  const sentence = state === null ? notAsked : sentenceOfRunState(state);
  if (state?.kind === 'closed') return { state: state.status, endedAt: state.closedAt, sentence };
  return { ...running, ...(state?.kind === 'unknown' && { state: 'unknown' }), sentence };
}

const notAsked =
  'Its end is not in the ledger: it runs still, or it was terminated, which its page in the UI tells, and this command without --direct.';

/** Null for one that is open. */
export function sentenceOfRunState(state: RunState): string | null {
  switch (state.kind) {
    case 'open':
      return null;
    case 'unknown':
      return 'Its end is not in the ledger, and this Temporal server knows nothing of it: it is over, unless another server goes on with it.';
    case 'closed': {
      const { status, closedAt, by, reason } = state;
      const who = `${by === null ? '' : ` by ${by}`}${reason === null ? '' : ` (${reason})`}`;
      return `It ${verbs[status]} at ${minuteOf(closedAt)} UTC${who}, and wrote no end of its own.`;
    }
  }
}

const verbs: Readonly<Record<RunEndState, string>> = {
  terminated: 'was terminated',
  'timed-out': 'was out of its time',
  cancelled: 'was cancelled',
  failed: 'failed',
  completed: 'ended',
  'continued-as-new': 'went on in a new history, which is gone,',
};
