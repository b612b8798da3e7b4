import { recipeSchema } from '../../configs/schema.ts';
import { phaseSummary } from '../../workflows/phase-words.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';

test('every kind of phase has a name that a person understands', () => {
  const { phases } = recipeSchema.parse(recipeOf(Object.values(leastPhases)));
  expect(phases.map(phaseSummary)).toEqual([
    'base: the model it all starts from',
    'sft: supervised fine-tuning, 50 steps',
    'drgrpo: reinforcement learning by DrGRPO, 50 steps',
    'orpo: preference tuning by ORPO, 50 steps',
    'bake: merge into MXFP4',
    'sao: reinforcement learning by SAO, 50 steps',
  ]);
});
