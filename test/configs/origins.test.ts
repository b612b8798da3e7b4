import { loadRecipe } from '../../configs/load.ts';
import { originsOf } from '../../configs/origins.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';

test('each value says whether it stands in the recipe, was set, or is a default', async () => {
  const set = { 'phases.sft.params.steps': 30, 'phases.1.params.batchSize': 8, 'phases.sft.params.lora': { rank: 4 } };
  const { value, document } = await loadRecipe('.', recipeOf([leastPhases.sft]), set);
  const origins = originsOf(value, document, set);
  const ofSft = origins.filter(({ field }) => field.startsWith('phases.sft.params.'));
  expect(ofSft.map(({ field, value: one, from }) => [field.slice('phases.sft.params.'.length), one, from])).toEqual([
    ['steps', 30, 'set'],
    ['checkpointEvery', 10, 'recipe'],
    ['learningRate', 1e-3, 'recipe'],
    ['warmupSteps', 3, 'default'],
    ['lora.rank', 4, 'set'],
    ['lora.alpha', 16, 'default'],
    ['lora.targets', ['q', 'k', 'v', 'o'], 'default'],
    ['batchSize', 8, 'set'],
    ['maxLength', 64, 'default'],
  ]);
  expect(origins.find(({ field }) => field === 'seed')).toEqual({ field: 'seed', value: 1, from: 'default' });
});
