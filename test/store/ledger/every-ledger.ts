/** What every ledger does, on whatever database. */
import { attempts } from './attempts.suite.ts';
import { benchmarks } from './benchmarks.suite.ts';
import { evaluations } from './evaluations.suite.ts';
import type { FreshLedger } from './ledgers.ts';
import { nodes } from './nodes.suite.ts';
import { outsideScores } from './outside-scores.suite.ts';
import { pins } from './pins.suite.ts';
import { records } from './records.suite.ts';
import { sweeps } from './sweeps.suite.ts';
import { withdrawals } from './withdrawals.suite.ts';

const suites = { attempts, benchmarks, evaluations, nodes, outsideScores, pins, records, sweeps, withdrawals };

/** Each test gets a ledger of its own. */
export function everyLedger(freshLedger: () => Promise<FreshLedger>): void {
  describe.each(Object.entries(suites))('%s', (_, suite) => {
    suite(freshLedger);
  });
}
