import { phaseSchema } from '../../configs/schema.ts';
import { batchOfPhase } from '../../decisions/batch-of-phase.ts';
import { basePhase, leastPhases } from '../support/recipes.ts';

test.each<{ kind: string; phase: object; want: number | null }>([
  { kind: 'sft', phase: { params: { ...leastPhases.sft.params, batchSize: 32 } }, want: 32 },
  { kind: 'drgrpo', phase: { params: { ...leastPhases.drgrpo.params, promptsPerStep: 4, generations: 8 } }, want: 32 },
  { kind: 'bake', phase: {}, want: null },
])('rows of one step of $kind: $want', ({ kind, phase, want }) => {
  const parsed = phaseSchema.parse({ ...leastPhases[kind as keyof typeof leastPhases], ...phase });
  expect(batchOfPhase(parsed)).toEqual(want === null ? null : { microBatch: want, accumulation: 1 });
});

test('a base has no batch that its trainer can cut', () => {
  expect(batchOfPhase(phaseSchema.parse(basePhase))).toBeNull();
});
