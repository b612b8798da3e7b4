import fc from 'fast-check';
import type { CheckpointFact, Evaluation } from '../../decisions/evaluation.ts';
import { judgeGate } from '../../decisions/gate.ts';
import { sentencesOfStage, sentenceOfVerdict } from '../../decisions/gate-sentences.ts';
import { evaluation } from '../support/builders.ts';
import { c10, c20, gateInput, notWorse, rank } from '../support/gate-builders.ts';
import { gateStage } from '../../configs/schema-fields.ts';

describe('over random evidence', () => {
  const correct = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 6, maxLength: 6 });
  const ids = ['c10', 'c20', 'parent'] as const;
  const evidenceOf = fc
    .array(
      fc.record({
        id: fc.constantFrom(...ids),
        seed: fc.integer({ min: 1, max: 3 }),
        correct,
        tokens: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 9 },
    )
    .map((rows) => {
      const byKey = new Map(rows.map((row) => [`${row.id} ${row.seed}`, row]));
      return [...byKey.values()].map((row) =>
        evaluation(row.id).seed(row.seed).scoring(row.correct, 2).tokens(row.tokens).build(),
      );
    });
  const shuffled = <T>(list: readonly T[], order: readonly number[]): T[] =>
    list
      .map((item, index) => ({ item, key: order[index % order.length] ?? 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);

  const tie = gateStage.parse({ compare: { benchmark: 'addition', undecided: 'tie' } });
  const short = gateStage.parse({ require: { runtimeAtMost: { benchmark: 'addition', minutes: 1 } } });
  const gates = {
    'bounds and rank': [notWorse, rank('tokens', 'earlier')],
    comparison: [short, tie, notWorse, rank()],
  };

  test.each(Object.entries(gates))(
    'the same evidence gives the same verdict, in whatever order it arrived: %s',
    (_, stages) => {
      fc.assert(
        fc.property(
          evidenceOf,
          fc.array(fc.integer(), { minLength: 1, maxLength: 9 }),
          (evaluations: readonly Evaluation[], order) => {
            const verdict = judgeGate({ ...gateInput({ stages }), evaluations });
            const again = judgeGate({
              ...gateInput({ stages }),
              candidates: shuffled<CheckpointFact>([c10, c20], order),
              evaluations: shuffled(evaluations, order).map((one) => ({
                ...one,
                problems: shuffled(one.problems, order),
              })),
            });
            expect(again).toEqual(verdict);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  /** Of six problems, now and then an answer that leaves some out. */
  const answer = fc.tuple(correct, fc.constantFrom(6, 6, 4)).map(([all, kept]) => all.slice(0, kept));

  test.each(Object.entries(gates))(
    'asking ends: whatever the answers are and leave out, each is asked for once and the gate decides within its seeds: %s',
    (_, stages) => {
      fc.assert(
        fc.property(
          fc.array(answer, { minLength: 12, maxLength: 12 }),
          fc.integer({ min: 0, max: 12 }),
          (answers, budget) => {
            const evaluations: Evaluation[] = [];
            let left = budget;
            for (let round = 0; ; round += 1) {
              const verdict = judgeGate({ ...gateInput({ stages }), evaluations, evaluationBudgetLeft: left });
              for (const line of verdict.stages) expect(sentencesOfStage(line).length).toBeGreaterThan(0);
              expect(sentenceOfVerdict(verdict)).not.toMatch(/undefined|NaN|\[object/);
              if (verdict.kind !== 'more-evaluations') break;
              expect(round).toBeLessThanOrEqual(9);
              expect(verdict.missing.length).toBeGreaterThan(0);
              for (const key of verdict.missing) {
                expect(key.seed).toBeLessThanOrEqual(3);
                expect(evaluations.some((one) => one.checkpoint === key.checkpoint && one.seed === key.seed)).toBe(
                  false,
                );
                evaluations.push(
                  evaluation(key.checkpoint)
                    .seed(key.seed)
                    .scoring(answers[evaluations.length] ?? [], 2)
                    .build(),
                );
                left -= 1;
              }
              expect(left).toBeGreaterThanOrEqual(0);
            }
          },
        ),
        { numRuns: 40 },
      );
    },
  );
});
