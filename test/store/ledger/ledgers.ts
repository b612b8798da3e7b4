/** A fresh SQLite ledger for each test, and facts to put into it. */
import { join } from 'node:path';
import type { Evaluation, ProblemOutcome } from '../../../decisions/evaluation.ts';
import type { Reservation } from '../../../store/ledger/attempts.ts';
import type { NewCheckpoint } from '../../../store/ledger/checkpoints.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import type { PhaseUpdate } from '../../../store/ledger/phases.ts';
import { openSqliteLedger } from '../../../store/ledger/sqlite.ts';
import { scratch } from '../checkpoint-fixtures.ts';

export interface FreshLedger {
  readonly ledger: Ledger;
  readonly file: string;
  /** Another connection to the same file. */
  again(): Promise<Ledger>;
  close(): Promise<void>;
}

export async function freshLedger(): Promise<FreshLedger> {
  const folder = await scratch();
  const file = join(folder.path, 'ledger.db');
  const opened: Ledger[] = [];
  const again = async () => {
    const ledger = await openSqliteLedger(file);
    opened.push(ledger);
    return ledger;
  };
  return {
    ledger: await again(),
    file,
    again,
    async close() {
      for (const ledger of opened) await ledger.close();
      await folder.remove();
    },
  };
}

export const at = '2026-11-29T10:00:00.000Z';

export const reservation = (reservationKey: string, more: Partial<Reservation> = {}): Reservation => ({
  workflowId: 'demo',
  runId: 'run-1',
  phase: 'sft',
  purpose: 'train',
  reservationKey,
  at,
  ...more,
});

export const phase = (more: Partial<PhaseUpdate> = {}): PhaseUpdate => ({
  workflowId: 'demo',
  runId: 'run-1',
  phase: 'sft',
  position: 1,
  kind: 'sft',
  identity: 'identity-1',
  identityText: '{"steps": 50}',
  state: 'running',
  at,
  ...more,
});

export const checkpoint = (step: number, more: Partial<NewCheckpoint> = {}): NewCheckpoint => ({
  id: `demo/sft/a1/checkpoint-${String(step)}`,
  workflowId: 'demo',
  runId: 'run-1',
  phase: 'sft',
  attempt: 1,
  step,
  parent: 'demo/base/a1/checkpoint-320',
  path: `/store/pipelines/demo/sft/attempt-1/checkpoints/checkpoint-${String(step)}`,
  format: 'peft',
  base: '/store/base',
  bytes: 200_000_000_000,
  resumable: true,
  finite: true,
  at,
  ...more,
});

export const problem = (name: string, more: Partial<ProblemOutcome> = {}): ProblemOutcome => ({
  problem: name,
  samples: 2,
  correct: 1,
  tokens: 18,
  truncated: 0,
  seconds: 0.25,
  answers: ['85', null],
  correctAnswers: [true, false],
  ...more,
});

export const evaluation = (more: Partial<Evaluation> = {}): Evaluation => ({
  checkpoint: 'demo/sft/a1/checkpoint-50',
  benchmark: 'addition',
  version: 1,
  seed: 7,
  problems: [problem('47+38'), problem('1+1')],
  ...more,
});
