/** Fields that do not go together, each named at the field that should change. */
import { loadRecipe } from '../../configs/load.ts';
import { basePhase, type Document, leastPhases, recipeOf, recipeWithSft } from '../support/recipes.ts';

async function answerTo(recipe: Document): Promise<string[]> {
  const message = await loadRecipe('.', recipe).then(
    () => 'valid',
    (error: unknown) => (error as Error).message,
  );
  return message
    .split('\n')
    .slice(message === 'valid' ? 0 : 1)
    .map((line) => line.trim());
}

const sft = (change: Document) => ({ ...leastPhases.sft, ...change });
const params = (change: Document) => ({ params: { ...leastPhases.sft.params, ...change } });
const atLeast = (benchmark: string) => ({ require: { scoreAtLeast: { benchmark, score: 0.5 } } });
const notWorse = (benchmark: string) => ({ require: { notWorseThanParent: { benchmark, margin: 0.02 } } });
const onlyFirst = 'the first phase is of kind "base" (it makes or names the start), and no other is';

test.each<{ title: string; recipe: Document; want: string[] }>([
  { title: 'a recipe that keeps every rule', recipe: recipeOf(), want: ['valid'] },
  {
    title: 'two phases of one name',
    recipe: recipeOf([sft({}), sft({})]),
    want: ['phases.sft.name: a phase named "sft" stands above: phases are addressed by their name'],
  },
  {
    title: 'no base at the start',
    recipe: { ...recipeOf(), phases: [sft({})] },
    want: [`phases.sft.kind: ${onlyFirst}`],
  },
  {
    title: 'a base in the middle',
    recipe: recipeOf([{ ...basePhase, name: 'again' }]),
    want: [`phases.again.kind: ${onlyFirst}`],
  },
  {
    title: 'a start that comes later',
    recipe: recipeOf([sft({ from: 'orpo' }), leastPhases.orpo]),
    want: ['phases.sft.from: no phase named "orpo" comes before this one; before it: base'],
  },
  {
    title: 'a start that is itself',
    recipe: recipeWithSft({ from: 'sft' }),
    want: ['phases.sft.from: no phase named "sft" comes before this one; before it: base'],
  },
  {
    title: 'a start that stands above',
    recipe: recipeOf([sft({}), { ...leastPhases.orpo, from: 'base' }]),
    want: ['valid'],
  },
  {
    title: 'a checkpoint after the end',
    recipe: recipeWithSft(params({ steps: 5, checkpointEvery: 10 })),
    want: ['phases.sft.params.checkpointEvery: is above steps (5): no checkpoint would come before the end'],
  },
  {
    title: 'an evaluation where no checkpoint is',
    recipe: recipeWithSft({ evaluate: { every: 15, benchmarks: ['addition'] } }),
    want: ['phases.sft.evaluate.every: is 15, and a checkpoint comes every 10 steps: name a multiple'],
  },
  {
    title: 'an evaluation on a benchmark that is not there',
    recipe: recipeWithSft({ evaluate: { benchmarks: ['additions'] } }),
    want: ['phases.sft.evaluate.benchmarks.0: no benchmark named "additions"; there are: addition'],
  },
  {
    title: 'a rank by a benchmark that is not there',
    recipe: recipeWithSft({ evaluate: { benchmarks: ['addition'] }, gate: [{ rank: { by: 'sums' } }] }),
    want: ['phases.sft.gate.0.rank.by: no benchmark named "sums"; there are: addition'],
  },
  {
    title: 'a bound on a benchmark that the phase is not evaluated on',
    recipe: recipeWithSft({ gate: [notWorse('addition'), atLeast('addition')] }),
    want: [
      'phases.sft.gate.0.require.notWorseThanParent.benchmark: the gate looks at "addition", which "evaluate.benchmarks" of this phase does not name',
      'phases.sft.gate.1.require.scoreAtLeast.benchmark: the gate looks at "addition", which "evaluate.benchmarks" of this phase does not name',
    ],
  },
  {
    title: 'a benchmark that is called like what every object has',
    recipe: recipeWithSft({ evaluate: { benchmarks: ['constructor'] } }),
    want: ['phases.sft.evaluate.benchmarks.0: no benchmark named "constructor"; there are: addition'],
  },
  {
    title: 'no benchmarks at all',
    recipe: { ...recipeWithSft({ evaluate: { benchmarks: ['addition'] } }), benchmarks: {} },
    want: ['phases.sft.evaluate.benchmarks.0: no benchmark named "addition"; there are: none'],
  },
])('$title', async ({ recipe, want }) => {
  expect(await answerTo(recipe)).toEqual(want);
});
