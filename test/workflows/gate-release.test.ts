/** A release of a phase that its gate holds: the gate hears what for. */
import type { PhaseContext } from '../../workflows/contract.ts';
import { recipeOf } from '../support/recipes.ts';
import { evaluatedSft, promotes } from '../support/stories.ts';
import { untilState, workflowBench, type WorkflowBench } from '../support/workflow-bench.ts';

let opening: Promise<WorkflowBench>;
let bench: WorkflowBench;
beforeAll(async () => {
  opening = workflowBench();
  bench = await opening;
});
afterAll(async () => (await opening).close());

const isBase = ({ phase }: PhaseContext) => phase.kind === 'base';

test.each([
  { id: 'undecided', undecided: true },
  { id: 'otherwise-held', undecided: false },
])('the gate hears of a release where the evidence did not decide, and only there: $id', async ({ id, undecided }) => {
  const story = bench.tell(id, recipeOf([evaluatedSft]), {
    judgeGate: ({ context }, times) =>
      isBase(context) || times > 2
        ? Promise.resolve(promotes(context))
        : Promise.resolve({ kind: 'hold', sentence: 'a person must look.', rows: [], undecided }),
  });
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  await run.executeUpdate<string, [object]>('release', { args: [{}] });
  await run.result();
  expect(story.inputsOf('judgeGate').map(({ released }) => released)).toEqual([false, false, undecided]);
});

test('a release holds while a later stage asks for evaluations', async () => {
  const missing = [{ checkpoint: 'asked/sft/a1/checkpoint-50', benchmark: 'addition', version: 1, seed: 2 }];
  const story = bench.tell('asked', recipeOf([evaluatedSft]), {
    judgeGate: ({ context }, times) => {
      if (isBase(context) || times > 3) return Promise.resolve(promotes(context));
      if (times > 2)
        return Promise.resolve({ kind: 'more-evaluations', sentence: 'one is missing.', rows: [], missing });
      return Promise.resolve({ kind: 'hold', sentence: 'a person must look.', rows: [], undecided: true });
    },
  });
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  await run.executeUpdate<string, [object]>('release', { args: [{}] });
  await run.result();
  expect(story.inputsOf('judgeGate').map(({ released }) => released)).toEqual([false, false, true, true]);
});
