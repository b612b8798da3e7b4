/** What a person reads under Details on the page of a run that `temper start` began. */
import { startDetails } from '../../../workers/cli/start-details.ts';

test('a recipe of the worker with changed fields: each field with its value', () => {
  const text = startDetails('walk', { recipe: 'tiny', set: { 'phases.sft.params.learningRate': 0.004, seed: 2 } });
  expect(text.split('\n').slice(0, 3)).toEqual([
    '- recipe: tiny, as the worker has it',
    '- set: phases.sft.params.learningRate = 0.004',
    '- set: seed = 2',
  ]);
  expect(text).toContain('`temper explain walk`');
});

test('nothing given: the default is named as one', () => {
  expect(startDetails('walk', {})).toContain("- recipe: the worker's default recipe\n");
});

test('text from outside is text, and a long list of fields is cut with its count', () => {
  const set = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${String(index)}`, '# <b>']));
  const text = startDetails('a`b', { recipe: { name: 'x|y' }, set });
  expect(text).toContain('- recipe: x\\|y, given whole in the input');
  expect(text).toContain('f29 = "\\# \\<b\\>"');
  expect(text).toContain('… and 10 more fields, in the input');
  expect(text).toContain('`temper explain ab`');
});
