/** The order in which evaluations came into the ledger changes no verdict. */
import { gateStage } from '../../../configs/schema-fields.ts';
import { judgeGate } from '../../../decisions/gate.ts';
import { randomIntegers } from '../../../decisions/random.ts';
import { evaluation } from '../../support/builders.ts';
import { c10, c20, c30, gateInput } from '../../support/gate-builders.ts';
import { at } from './ledgers.ts';
import { openSqliteLedger } from '../../../store/ledger/sqlite.ts';

const candidates = [c10, c20, c30];
const scores = (shift: number) => Array.from({ length: 40 }, (_, index) => 1 + ((index + shift) % 3));
const evidence = candidates.flatMap(({ id }, candidate) =>
  [1, 2, 3].map((seed) =>
    evaluation(id)
      .seed(seed)
      .scoring(scores(candidate + seed))
      .build(),
  ),
);
const stages = [
  gateStage.parse({ compare: { benchmark: 'addition', undecided: 'tie' } }),
  gateStage.parse({ rank: { by: 'addition' } }),
];

/** What the gate says when they came in this order. */
async function verdictAfter(order: readonly (typeof evidence)[number][]) {
  const ledger = await openSqliteLedger(':memory:');
  for (const one of order) await ledger.recordEvaluation({ evaluation: one, runId: 'run-1', jobName: 't', at });
  const evaluations = await ledger.evaluationsOf(candidates.map(({ id }) => id));
  await ledger.close();
  return judgeGate({ ...gateInput({ stages, candidates, parent: null }), evaluations });
}

test('twenty orders of the same evaluations give one verdict, number by number', async () => {
  const first = await verdictAfter(evidence);
  expect(first.stages).toHaveLength(2);
  const next = randomIntegers(7);
  for (let round = 0; round < 20; round += 1) {
    const shuffled = evidence.map((one) => ({ one, key: next() })).sort((a, b) => a.key - b.key);
    expect(await verdictAfter(shuffled.map(({ one }) => one))).toEqual(first);
  }
});
