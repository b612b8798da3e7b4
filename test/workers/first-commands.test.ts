/** The commands of a recipe before anything has run. */
import { recipeSchema } from '../../configs/schema.ts';
import { firstCommands } from '../../workers/first-commands.ts';
import { foreign, recipeOf } from '../support/recipes.ts';

test('where a finished checkpoint of another pipeline lies only a worker knows: its name stands for its path', () => {
  const params = { ...foreign.params, command: ['train', '--model', '{start}', '--output_dir', '{output}'] };
  const phases = [{ ...foreign, params, from: { checkpoint: 'demo/sft' } }];
  const commands = firstCommands(recipeSchema.parse({ ...recipeOf(), phases }), '/store', 'more');
  expect(commands.get('tuned')?.argv).toEqual([
    'train',
    '--model',
    '<demo/sft>',
    '--output_dir',
    expect.stringMatching(/^\/store\/pipelines\/more\/tuned\/attempt-1\//),
  ]);
});
