/** A fresh ledger for each test, and facts to put into it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Evaluation, ProblemOutcome } from '../../../decisions/evaluation.ts';
import type { Reservation } from '../../../store/ledger/attempts.ts';
import type { NewCheckpoint } from '../../../store/ledger/checkpoints.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import type { PhaseUpdate } from '../../../store/ledger/phases.ts';
import { openPostgresLedger } from '../../../store/ledger/postgres.ts';
import { openSqliteLedger } from '../../../store/ledger/sqlite.ts';
import { type PostgresServer, runIn } from '../../support/postgres-server.ts';
import { scratch } from '../checkpoint-fixtures.ts';

export interface FreshLedger {
  readonly ledger: Ledger;
  /** Where it lies: what its opener is given. */
  readonly place: string;
  /** The function that opens it, and the file that exports it: for processes of a test's own. */
  readonly opener: string;
  readonly module: string;
  /** Another connection to the same one. */
  again(): Promise<Ledger>;
  close(): Promise<void>;
}

export async function freshSqliteLedger(): Promise<FreshLedger> {
  const folder = await scratch();
  const place = join(folder.path, 'ledger.db');
  return await opened(
    { place, opener: 'openSqliteLedger', module: moduleOf('sqlite') },
    () => openSqliteLedger(place),
    {
      remove: () => folder.remove(),
    },
  );
}

/** In a schema of its own of this server. */
export async function freshPostgresLedger({ address }: PostgresServer): Promise<FreshLedger> {
  const schema = `test_${randomBytes(6).toString('hex')}`;
  await runIn(address, `CREATE SCHEMA ${schema}`);
  const place = `${address}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  return await opened(
    { place, opener: 'openPostgresLedger', module: moduleOf('postgres') },
    () => openPostgresLedger(place),
    { remove: () => runIn(address, `DROP SCHEMA ${schema} CASCADE`) },
  );
}

const moduleOf = (name: string): string => join(import.meta.dirname, '..', '..', '..', 'store', 'ledger', `${name}.ts`);

async function opened(
  where: Pick<FreshLedger, 'place' | 'opener' | 'module'>,
  open: () => Promise<Ledger>,
  { remove }: { readonly remove: () => Promise<void> },
): Promise<FreshLedger> {
  const ledgers: Ledger[] = [];
  const again = async () => {
    const ledger = await open();
    ledgers.push(ledger);
    return ledger;
  };
  return {
    ...where,
    ledger: await again(),
    again,
    async close() {
      for (const ledger of ledgers) await ledger.close();
      await remove();
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
