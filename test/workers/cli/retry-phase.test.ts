import { retryInput } from '../../../workers/cli/retry-phase.ts';

test('what is set is read as YAML has it: a number is a number', async () => {
  const set = { 'params.learningRate': '1e-4', 'params.steps': '200', 'params.optimizer': 'adamw' };
  expect(await retryInput({ phase: 'sft', by: 'ann', reason: 'it diverged', set })).toEqual({
    phase: 'sft',
    by: 'ann',
    reason: 'it diverged',
    set: { 'params.learningRate': 1e-4, 'params.steps': 200, 'params.optimizer': 'adamw' },
  });
});
