/** Mistakes of a recipe and what is wrong beside them, all at once. */
import { answerTo } from '../support/recipe-answer.ts';
import { type Document, leastPhases, recipeOf } from '../support/recipes.ts';

const { sft, orpo } = leastPhases;

test.each<{ title: string; recipe: Document; want: string[] }>([
  {
    title: 'a start by a checkpoint whose field is misspelt, and by what is neither a phase nor a checkpoint',
    recipe: recipeOf([
      { ...sft, from: { chekpoint: 'demo/sft' } },
      { ...orpo, from: 5 },
    ]),
    want: [
      'phases.sft.from.checkpoint: is missing (a text)',
      'phases.sft.from.chekpoint: is no field here; did you mean "checkpoint"? Fields: checkpoint',
      'phases.orpo.from: is 5, and must be a text or a group of fields',
    ],
  },
  {
    title: 'a mistake, and what does not depend on it in the same phase and in others',
    recipe: recipeOf([
      {
        ...sft,
        from: { chekpoint: 'demo/sft' },
        evaluate: { every: 60, benchmarks: ['additions'] },
        gate: [{ rank: { by: 'additions' } }],
        params: { ...sft.params, learningRate: 5 },
      },
      { ...orpo, from: 'later' },
    ]),
    want: [
      'phases.sft.from.checkpoint: is missing (a text)',
      'phases.sft.from.chekpoint: is no field here; did you mean "checkpoint"? Fields: checkpoint',
      'phases.sft.params.learningRate: is 5, and must be at most 1',
      'phases.orpo.from: no phase named "later" comes before this one; before it: base, sft',
      'phases.sft.evaluate.benchmarks.0: no benchmark named "additions"; there are: addition',
      'phases.sft.gate.0.rank.by: no benchmark named "additions"; there are: addition',
    ],
  },
])('$title', async ({ recipe, want }) => {
  expect(await answerTo(recipe)).toEqual(want);
});
