import type { GateStage } from '../../configs/schema.ts';
import { judgeGate } from '../../decisions/gate.ts';
import { type EvaluationBuilder, evaluation } from '../support/builders.ts';
import { c10, c20, c30, gateInput, level, noisy, rank } from '../support/gate-builders.ts';

describe('rank', () => {
  const ranked = (seen: EvaluationBuilder[], stage: GateStage = rank('tokens', 'earlier')) =>
    judgeGate(gateInput({ stages: [stage], candidates: [c10, c20, c30], seen }));

  test('the highest mean goes on when the noise does not reach it', () => {
    const verdict = ranked([
      evaluation('c10').scoring(level(1)),
      evaluation('c20').scoring(level(3)),
      evaluation('c30').scoring(level(2)),
    ]);
    expect(verdict).toMatchObject({
      kind: 'promote',
      checkpoint: c20,
      score: 0.75,
      because: { rule: 'highest', next: { checkpoint: 'c30' } },
    });
  });

  test.each<{ title: string; stage: GateStage; tokens: [number, number]; want: string; by: string }>([
    { title: 'fewer tokens', stage: rank('tokens', 'earlier'), tokens: [20, 10], want: 'c20', by: 'tokens' },
    {
      title: 'earlier where tokens are equal',
      stage: rank('tokens', 'earlier'),
      tokens: [10, 10],
      want: 'c10',
      by: 'earlier',
    },
    {
      title: 'earlier first, where the recipe says so',
      stage: rank('earlier', 'tokens'),
      tokens: [20, 10],
      want: 'c10',
      by: 'earlier',
    },
    { title: 'earlier where the recipe names no rule', stage: rank(), tokens: [20, 10], want: 'c10', by: 'earlier' },
  ])('inside the noise it is $title', ({ stage, tokens, want, by }) => {
    const verdict = ranked(
      [
        evaluation('c10').scoring(level(2, 1)).tokens(tokens[0]),
        evaluation('c20').scoring(noisy(6)).tokens(tokens[1]),
        evaluation('c30').scoring(level(0)).tokens(1),
      ],
      stage,
    );
    expect(verdict).toMatchObject({
      kind: 'promote',
      checkpoint: { id: want },
      because: { rule: 'tie', by, among: 2 },
    });
    expect(verdict.stages[0]).toMatchObject({
      lines: [{ checkpoint: want, tied: true }, { tied: true }, { checkpoint: 'c30', tied: false }],
    });
  });

  test('what is surely worse never wins by its tokens', () => {
    const verdict = ranked([
      evaluation('c10').scoring(level(3)).tokens(99),
      evaluation('c20').scoring(level(1)).tokens(1),
      evaluation('c30').scoring(level(1)).tokens(1),
    ]);
    expect(verdict).toMatchObject({ kind: 'promote', checkpoint: c10 });
  });

  test('stages apply in order: what missed a bound is not ranked', () => {
    const seen = [
      evaluation('c10').scoring(level(1)),
      evaluation('c20').scoring(level(2)),
      evaluation('parent').scoring(level(2)),
    ];
    const verdict = judgeGate(gateInput({ seen }));
    expect(verdict).toMatchObject({ kind: 'promote', checkpoint: c20, because: { rule: 'highest', next: null } });
    expect(verdict.stages[1]).toMatchObject({ stage: 'rank', lines: [{ checkpoint: 'c20' }] });
  });

  test('the parent is a bound, never a candidate, however good', () => {
    const seen = [
      evaluation('c10').scoring(level(1)),
      evaluation('c20').scoring(level(1)),
      evaluation('parent').scoring(level(4)),
    ];
    expect(judgeGate(gateInput({ seen })).kind).toBe('reject');
  });

  test('a second rank decides among those that the first cannot tell apart', () => {
    const second: GateStage = { rank: { by: 'other', tie: ['earlier'] } };
    const seen = [
      evaluation('c10').scoring(level(2, 1)),
      evaluation('c20').scoring(noisy()),
      evaluation('c10').on('other', 2).scoring(level(1)),
      evaluation('c20').on('other', 2).scoring(level(3)),
    ];
    const evaluate = { benchmarks: ['addition', 'other'], seeds: 1, maxSeeds: 1 };
    expect(judgeGate(gateInput({ stages: [rank('earlier'), second], evaluate, seen }))).toMatchObject({
      kind: 'promote',
      checkpoint: c20,
    });
  });
});
